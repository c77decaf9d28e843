//! The handlers: one method for each operation.

use crate::{
    Archive,
    api::{
        AddAttachmentsError, AddAttachmentsPart, ArchiveApi, ChangeRecordError, CountRecordsError,
        CreateRecordError, DownloadError, DownloadScanError, DownloadScanSuccess, DownloadSuccess,
        ExportRecordsError, ExportRecordsOk, ImportRecordsError, ImportRecordsOk, ListRecordsError,
        UploadError, UploadScanError, WatchRecordsError, WatchRecordsOk,
    },
    models::{
        AddAttachmentsPath, ChangeRecordPath, CountRecordsCookies, CountRecordsQuery,
        DownloadOkHeaders, DownloadPartialContentHeaders, DownloadPath, DownloadScanOkHeaders,
        DownloadScanPartialContentHeaders, DownloadScanPath,
        DownloadScanRangeNotSatisfiableHeaders, ImportResult, ListRecordsQuery, NewRecord, Problem,
        Record, RecordChange, RecordCount, RecordPage, UploadPath, UploadScanPath,
        WatchRecordsHeaders,
    },
    records,
    scans::{Failure, Wanted},
};
use dropshot::{
    Body, ErrorStatusCode, Header, HttpResponseCreated, HttpResponseOk,
    HttpResponseUpdatedNoContent, Path, Query, RequestContext, StreamingBody, TypedBody,
    UntypedBody,
};
use futures::TryStreamExt as _;
use http::{StatusCode, header};
use openapi_dropshot_server::{Context, state::StateError};
use openapi_dropshot_types::{Cookies, Event, FormParts, Item, Streamed, StreamedItems};
use rusqlite::OptionalExtension as _;
use std::{collections::BTreeMap, io::ErrorKind, sync::Arc};

/// How many records a page has.
const PAGE: usize = 2;

/// The handlers.
#[derive(Debug)]
pub enum Handlers {}

type Request = RequestContext<Context<Archive>>;

impl ArchiveApi for Handlers {
    type Context = Context<Archive>;

    async fn list_records(
        rqctx: Request,
        query: Query<ListRecordsQuery>,
    ) -> Result<HttpResponseOk<RecordPage>, ListRecordsError> {
        let after = query.into_inner().cursor.unwrap_or(0);
        // Reads one record more than the page has, to know whether more records follow.
        let pool = &rqctx.context().state().pool;
        let found = pool.run(move |db| records::page(db, after, PAGE + 1));
        let mut items = found.await.map_err(|error| failed(&rqctx, &error))?;
        let follows = items.len() > PAGE;
        items.truncate(PAGE);
        let next = items.last().map(|last| last.id).filter(|_| follows);
        Ok(HttpResponseOk(RecordPage { items, next }))
    }

    async fn create_record(
        rqctx: Request,
        body: TypedBody<NewRecord>,
    ) -> Result<HttpResponseCreated<Record>, CreateRecordError> {
        let record = records::add(rqctx.context().state(), body.into_inner()).await;
        let record = record.map_err(|error| failed(&rqctx, &error))?;
        Ok(HttpResponseCreated(record))
    }

    async fn import_records(
        rqctx: Request,
        body: StreamedItems<NewRecord>,
    ) -> Result<ImportRecordsOk, ImportRecordsError> {
        let rqctx = Arc::new(rqctx);
        let lines = body.into_stream().map_err(ImportRecordsError::from);
        let results = lines.and_then(move |Item { line, value }| {
            let rqctx = Arc::clone(&rqctx);
            async move {
                let mut result = ImportResult::new(line as i64);
                match value {
                    Ok(record) => {
                        let added = records::add(rqctx.context().state(), record).await;
                        let record = added.map_err(|error| failed(&rqctx, &error))?;
                        result.id = Some(record.id);
                    }
                    Err(problem) => result.problem = Some(problem),
                }
                Ok(result)
            }
        });
        Ok(ImportRecordsOk(Streamed::fallible::<ImportRecordsError>(
            results,
        )))
    }

    async fn watch_records(
        rqctx: Request,
        headers: Header<WatchRecordsHeaders>,
    ) -> Result<WatchRecordsOk, WatchRecordsError> {
        let archive = rqctx.context().state();
        let after = headers.into_inner().last_event_id.unwrap_or(0);
        let added = archive.added.subscribe();
        let records = records::follow(archive.pool.clone(), after, Some(added));
        let events = records.map_ok(|record| {
            let id = record.id.to_string();
            Event::new(record).with_id(id)
        });
        Ok(WatchRecordsOk(Streamed::fallible(events)))
    }

    async fn export_records(rqctx: Request) -> Result<ExportRecordsOk, ExportRecordsError> {
        let pool = rqctx.context().state().pool.clone();
        let records = records::follow(pool, 0, None);
        Ok(ExportRecordsOk(Streamed::fallible(records)))
    }

    async fn count_records(
        rqctx: Request,
        query: Query<CountRecordsQuery>,
        cookies: Cookies<CountRecordsCookies>,
    ) -> Result<HttpResponseOk<RecordCount>, CountRecordsError> {
        let CountRecordsQuery { ids, words, size } = query.into_inner();
        let seen = cookies.into_inner().seen.unwrap_or(0);
        let counted = rqctx.context().state().pool.run(move |db| {
            let text = "SELECT id, title, length(text) FROM record WHERE id > ?1";
            let mut statement = db.prepare_cached(text)?;
            let mut rows = statement.query([seen])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                let (id, title, length): (i64, String, i64) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                let has_word = |word: &String| title.split(' ').any(|own| own == word);
                let is_counted = ids.as_ref().is_none_or(|ids| ids.contains(&id))
                    && words.iter().flatten().all(has_word)
                    && size.as_ref().is_none_or(|size| {
                        length >= size.least && size.most.is_none_or(|most| length <= most)
                    });
                count += i64::from(is_counted);
            }
            Ok(count)
        });
        let count = counted.await.map_err(|error| failed(&rqctx, &error))?;
        Ok(HttpResponseOk(RecordCount { count }))
    }

    async fn change_record(
        rqctx: Request,
        path: Path<ChangeRecordPath>,
        body: TypedBody<RecordChange>,
    ) -> Result<HttpResponseOk<Record>, ChangeRecordError> {
        let (id, change) = (path.into_inner().record_id, body.into_inner());
        let title = change.title.map(String::from);
        let changed = rqctx.context().state().pool.run(move |db| {
            let text =
                "UPDATE record SET title = coalesce(?2, title) WHERE id = ?1 RETURNING title";
            db.query_row(text, (id, title), |row| row.get(0)).optional()
        });
        let title = changed.await.map_err(|cause| failed(&rqctx, &cause))?;
        let title = title.ok_or_else(|| no_record(id))?;
        Ok(HttpResponseOk(Record { id, title }))
    }

    async fn upload(
        rqctx: Request,
        path: Path<UploadPath>,
        body: UntypedBody,
    ) -> Result<HttpResponseUpdatedNoContent, UploadError> {
        let (id, text) = (path.into_inner().record_id, body.as_str()?.to_owned());
        let changed = rqctx
            .context()
            .state()
            .pool
            .run(move |db| db.execute("UPDATE record SET text = ?2 WHERE id = ?1", (id, text)));
        match changed.await.map_err(|cause| failed(&rqctx, &cause))? {
            0 => Err(no_record(id).into()),
            _ => Ok(HttpResponseUpdatedNoContent()),
        }
    }

    async fn download(
        rqctx: Request,
        path: Path<DownloadPath>,
    ) -> Result<DownloadSuccess, DownloadError> {
        let id = path.into_inner().record_id;
        let found = rqctx.context().state().pool.run(move |db| {
            let text = "SELECT text FROM record WHERE id = ?1";
            db.query_row(text, [id], |row| row.get::<_, String>(0))
                .optional()
        });
        let found = found.await.map_err(|cause| failed(&rqctx, &cause))?;
        let text = found.ok_or_else(|| no_record(id))?;
        let content = text.into_bytes();
        let range = rqctx.request.headers().get(header::RANGE);
        // Ignores an invalid header and a request for several parts (RFC 9110, section 14.2).
        let ranges = range
            .and_then(|range| http_range_header::parse_range_header(range.to_str().ok()?).ok());
        let whole = DownloadOkHeaders {
            accept_ranges: "bytes".to_owned(),
        };
        let Some(ranges) = ranges else {
            return Ok(DownloadSuccess::Ok(content.into(), whole));
        };
        let size = content.len();
        match ranges.validate(size as u64).as_deref() {
            Ok([part]) => {
                let (first, last) = (*part.start(), *part.end());
                let content_range = format!("bytes {first}-{last}/{size}");
                let part = content[first as usize..=last as usize].to_vec();
                let headers = DownloadPartialContentHeaders { content_range };
                Ok(DownloadSuccess::PartialContent(Body::from(part), headers))
            }
            Ok(_) => Ok(DownloadSuccess::Ok(content.into(), whole)),
            Err(_) => {
                let detail = format!("the content has {size} bytes; request a part of them");
                let status = StatusCode::RANGE_NOT_SATISFIABLE;
                Err(problem(status, "range_not_satisfiable", detail).into())
            }
        }
    }

    async fn upload_scan(
        rqctx: Request,
        path: Path<UploadScanPath>,
        body: StreamingBody,
    ) -> Result<HttpResponseUpdatedNoContent, UploadScanError> {
        let (id, archive) = (path.into_inner().record_id, rqctx.context().state());
        let exists = archive.pool.run(move |db| {
            let text = "SELECT EXISTS (SELECT 1 FROM record WHERE id = ?1)";
            db.query_row(text, [id], |row| row.get(0))
        });
        match exists.await {
            Ok(true) => {}
            Ok(false) => return Err(no_record(id).into()),
            Err(cause) => return Err(failed(&rqctx, &cause).into()),
        }
        match archive.scans.store(id, body).await {
            Ok(()) => Ok(HttpResponseUpdatedNoContent()),
            Err(Failure::Body(error)) => Err(error.into()),
            Err(Failure::File(cause)) => Err(failed(&rqctx, &cause).into()),
        }
    }

    async fn download_scan(
        rqctx: Request,
        path: Path<DownloadScanPath>,
    ) -> Result<DownloadScanSuccess, DownloadScanError> {
        let id = path.into_inner().record_id;
        let scan = match rqctx.context().state().scans.scan(id).await {
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                let detail = format!("the record {id} has no scan; upload one");
                return Err(problem(StatusCode::NOT_FOUND, "not_found", detail).into());
            }
            scan => scan.map_err(|cause| failed(&rqctx, &cause))?,
        };
        let (size, etag) = (scan.size, scan.etag.clone());
        let range = match scan.wanted(rqctx.request.headers()) {
            Wanted::All => None,
            Wanted::Part(range) => Some(range),
            Wanted::Nothing => {
                let detail = format!("the scan has {size} bytes; request a part of them");
                let status = StatusCode::RANGE_NOT_SATISFIABLE;
                let (_, problem) = problem(status, "range_not_satisfiable", detail);
                let headers = DownloadScanRangeNotSatisfiableHeaders {
                    content_range: format!("bytes */{size}"),
                };
                return Err(DownloadScanError::RangeNotSatisfiable(problem, headers));
            }
        };
        let (first, length) = match &range {
            None => (0, size),
            Some(range) => (*range.start(), range.end() - range.start() + 1),
        };
        let body = scan.read(first, length).await;
        let body = body.map_err(|cause| failed(&rqctx, &cause))?;
        let content_length = length.try_into().unwrap_or(i64::MAX);
        Ok(match range {
            None => {
                let headers = DownloadScanOkHeaders {
                    content_length,
                    e_tag: etag,
                };
                DownloadScanSuccess::Ok(body, headers)
            }
            Some(range) => {
                let content_range = format!("bytes {first}-{}/{size}", range.end());
                let headers = DownloadScanPartialContentHeaders {
                    content_length,
                    content_range,
                    e_tag: etag,
                };
                DownloadScanSuccess::PartialContent(body, headers)
            }
        })
    }

    async fn add_attachments(
        _: Request,
        _: Path<AddAttachmentsPath>,
        mut body: FormParts<AddAttachmentsPart>,
    ) -> Result<HttpResponseOk<BTreeMap<String, i64>>, AddAttachmentsError> {
        // A real service stores the files.
        let mut sizes = BTreeMap::new();
        while let Some(part) = body.next().await? {
            match part {
                AddAttachmentsPart::File(mut file) => {
                    let name = file.file_name().unwrap_or_default().to_owned();
                    while let Some(bytes) = file.chunk().await? {
                        *sizes.entry(name.clone()).or_default() += bytes.len() as i64;
                    }
                }
                // These parts were checked already. They have the types of the document.
                AddAttachmentsPart::About(_)
                | AddAttachmentsPart::Note(_)
                | AddAttachmentsPart::Priority(_) => {}
            }
        }
        Ok(HttpResponseOk(sizes))
    }
}

/// The body of an error of a handler, in the same form as the errors of the server (see `State::error_body`).
fn problem(status: StatusCode, code: &str, detail: String) -> (ErrorStatusCode, Problem) {
    let problem = Problem {
        type_: "about:blank".to_owned(),
        title: status.canonical_reason().unwrap_or("Error").to_owned(),
        status: status.as_u16().into(),
        detail: Some(detail),
        code: code.to_owned(),
    };
    let status = ErrorStatusCode::from_status(status);
    (
        status.unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR),
        problem,
    )
}

/// The error for a record that does not exist.
fn no_record(id: i64) -> (ErrorStatusCode, Problem) {
    let detail = format!("there is no record {id}; list the records");
    problem(StatusCode::NOT_FOUND, "not_found", detail)
}

/// The error for a failure of the database or of a file. The cause is only logged.
fn failed(rqctx: &Request, error: &impl ToString) -> (ErrorStatusCode, Problem) {
    let error = StateError::internal("the storage failed", error.to_string());
    let (condition, message) = error.report(&rqctx.request_id);
    let code = condition.built_in().code;
    problem(
        StatusCode::INTERNAL_SERVER_ERROR,
        code,
        message.into_owned(),
    )
}
