//! Tests of multipart forms.

use super::{FilePart, Multipart};
use futures_util::stream;
use http_body_util::BodyExt as _;
use reqwest::Body;
use std::{collections::BTreeMap, io};

async fn written(form: Multipart) -> String {
    let (media_type, body) = form.into_parts().expect("a form");
    let (_, boundary) = media_type.split_once("boundary=").expect("a boundary");
    let bytes = body.collect().await.expect("a body").to_bytes();
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    text.replace(boundary, "B")
}

#[tokio::test]
async fn parts_are_written_between_boundaries() {
    let form = Multipart::new()
        .text("a \"b\"\r\n", "c")
        .file("f", "x.png", "image/png", [1, 2]);
    let expected = "--B\r\nContent-Disposition: form-data; name=\"a %22b%22%0D%0A\"\r\n\r\nc\r\n\
                    --B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\n\x01\x02\r\n\
                    --B--\r\n";
    assert_eq!(written(form).await, expected);
}

#[tokio::test]
async fn a_file_may_be_a_stream() {
    let chunks = ["ab", "cd"].map(Ok::<_, io::Error>);
    let file = FilePart::new("x", "text/plain", Body::wrap_stream(stream::iter(chunks)));
    let form = Multipart::new()
        .value("text", "a b")
        .attach("f", file)
        .value("number", &3)
        .json("list", &["a"]);
    let expected = "--B\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na b\r\n\
                    --B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\nContent-Type: text/plain\r\n\r\nabcd\r\n\
                    --B\r\nContent-Disposition: form-data; name=\"number\"\r\n\r\n3\r\n\
                    --B\r\nContent-Disposition: form-data; name=\"list\"\r\nContent-Type: application/json\r\n\r\n[\"a\"]\r\n\
                    --B--\r\n";
    assert_eq!(written(form).await, expected);
}

#[test]
fn a_form_in_memory_can_be_sent_again_but_a_form_with_a_stream_cannot() {
    let (_, body) = Multipart::new()
        .text("a", "b")
        .into_parts()
        .expect("a form");
    assert!(body.as_bytes().is_some());
    let file = FilePart::new(
        "x",
        "text/plain",
        Body::wrap_stream(stream::empty::<io::Result<&str>>()),
    );
    let (_, body) = Multipart::new()
        .attach("f", file)
        .into_parts()
        .expect("a form");
    assert!(body.as_bytes().is_none());
}

#[test]
fn the_error_for_a_value_that_cannot_be_written_as_json_names_the_part_of_the_form() {
    let form = Multipart::new().json("pairs", &BTreeMap::from([((1, 2), 3)]));
    let fault = form
        .into_parts()
        .expect_err("a map with such keys is not JSON");
    assert!(
        fault.starts_with("the part `pairs` cannot be written as JSON: "),
        "{fault}"
    );
}
