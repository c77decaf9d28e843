//! Clients that send requests as fast as the service responds.

use crate::{attack, world::World};
use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

const FLOODING: usize = 16;
/// How many requests a client sends without waiting for the responses.
const BATCH: usize = 20;

/// Starts clients that send requests as fast as they get responses, until the time is over.
pub(crate) fn flood(
    world: &World,
    time: Duration,
    request: impl Fn(u64) -> Vec<u8> + Clone + Send + 'static,
) {
    let is_over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..FLOODING)
        .map(|number| {
            let (is_over, request) = (Arc::clone(&is_over), request.clone());
            let address = world.address;
            thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    // A client that is rejected or disconnected tries again.
                    let Ok(stream) = attack::connect(address) else {
                        continue;
                    };
                    let ended = send_batches(stream, &is_over, &|| request(number as u64));
                    drop(ended);
                }
            })
        })
        .collect();
    thread::sleep(time);
    is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.join().expect("no panic");
    }
}

fn send_batches(
    mut stream: TcpStream,
    is_over: &AtomicBool,
    request: &dyn Fn() -> Vec<u8>,
) -> io::Result<()> {
    const BEGIN: &[u8] = b"HTTP/1.1 ";
    let mut buffer = vec![0; 64 * 1024];
    let mut read: Vec<u8> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        stream.write_all(&request().repeat(BATCH))?;
        let mut responses = 0;
        while responses < BATCH {
            let length = stream.read(&mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            read.extend_from_slice(&buffer[..length]);
            let parts = read.windows(BEGIN.len());
            responses += parts.filter(|part| *part == BEGIN).count();
            // The beginning of the next response may have arrived, but not all of it.
            read.drain(..read.len().saturating_sub(BEGIN.len() - 1));
        }
    }
    Ok(())
}
