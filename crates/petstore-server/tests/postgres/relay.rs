//! A relay between the service and its database. It forwards all bytes until a test tells it to
//! lose one statement or the response to it.

use crate::postgres::Cluster;
use socket2::{SockFilter, SockRef};
use std::{
    io,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
};

/// The part that is lost for a statement that contains certain bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The statement: the connection is reset before the statement is forwarded.
    Statement,
    /// The response: the database has executed the statement, and the connection is reset.
    RawResponse,
    /// The same, but the connection stays open.
    AnswerInSilence,
}

/// The bytes of the statement to lose, and how it is lost.
type Next = Arc<Mutex<Option<(Vec<u8>, Loss)>>>;

pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    next: Next,
    accepted: Arc<AtomicUsize>,
    is_silent: watch::Sender<bool>,
    has_vanished: watch::Sender<bool>,
}

impl Relay {
    pub(crate) async fn start(cluster: &Cluster) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let next = Next::default();
        let socket = cluster.socket().join(".s.PGSQL.5432");
        let losses = Arc::clone(&next);
        let is_silent = watch::Sender::new(false);
        let silence = is_silent.subscribe();
        let has_vanished = watch::Sender::new(false);
        let vanishing = has_vanished.subscribe();
        let accepted = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::AcqRel);
                let (socket, losses) = (socket.clone(), Arc::clone(&losses));
                let (mut silence, vanishing) = (silence.clone(), vanishing.clone());
                tokio::spawn(async move {
                    if *silence.borrow_and_update() {
                        // The connection is held without a response until the test ends.
                        let _ended = silence.wait_for(|is_silent| !is_silent).await;
                        return drop(client);
                    }
                    tokio::select! {
                        _ended = relay(client, socket, losses, vanishing) => {}
                        _ended = silence.changed() => {}
                    }
                });
            }
        });
        Relay {
            address,
            next,
            accepted,
            is_silent,
            has_vanished,
        }
    }

    /// Returns the number of connections so far.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Acquire)
    }

    /// Closes all connections. From now on, accepts connections without responding, like a database
    /// whose host no longer exists.
    pub(crate) fn fall_silent(&self) {
        self.is_silent.send_replace(true);
    }

    /// From now on, receives, sends and acknowledges nothing on the open connections, like a
    /// machine that lost its power.
    pub(crate) fn vanish(&self) {
        self.has_vanished.send_replace(true);
    }

    /// Loses the next statement that contains these bytes, or its response.
    pub(crate) fn lose(&self, bytes: &str, loss: Loss) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = Some((bytes.into(), loss));
    }
}

/// The program of a packet filter that drops every packet: it returns (`BPF_RET`) 0 bytes.
const DROP_ALL: [SockFilter; 1] = [SockFilter::new(6, 0, 0, 0)];

async fn relay(
    mut client: TcpStream,
    socket: PathBuf,
    losses: Next,
    mut vanishing: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut database = UnixStream::connect(socket).await?;
    let (mut asked, mut told) = ([0; 64 * 1024], [0; 64 * 1024]);
    let mut lost = None;
    loop {
        tokio::select! {
            () = async { drop(vanishing.wait_for(|has_vanished| *has_vanished).await) } => {
                SockRef::from(&client).attach_filter(&DROP_ALL)?;
                // Closing the socket would tell the peer that the connection has ended.
                return std::future::pending().await;
            }
            read = client.read(&mut asked) => {
                let bytes = match read? { 0 => return Ok(()), read => &asked[..read] };
                lost = lost.or_else(|| loss_of(bytes, &losses));
                if lost == Some(Loss::Statement) {
                    return client.set_zero_linger();
                }
                database.write_all(bytes).await?;
            }
            read = database.read(&mut told) => {
                let bytes = match read? { 0 => return Ok(()), read => &told[..read] };
                match lost {
                    Some(Loss::RawResponse) => return client.set_zero_linger(),
                    Some(_) => {}
                    None => client.write_all(bytes).await?,
                }
            }
        }
    }
}

/// Returns how these bytes are lost, if they are the expected ones. A small statement arrives in
/// one packet, and the database responds after it has committed.
fn loss_of(bytes: &[u8], losses: &Next) -> Option<Loss> {
    let mut next = losses.lock().unwrap_or_else(PoisonError::into_inner);
    let (wanted, _) = next.as_ref()?;
    let found = bytes.windows(wanted.len()).any(|window| window == wanted);
    found.then(|| next.take()).flatten().map(|(_, loss)| loss)
}
