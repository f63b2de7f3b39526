//! A server of static files on this machine alone, to try the page.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    thread,
};

use crate::Result;

/// Serves a folder on the loopback interface until the program is stopped.
///
/// # Errors
/// If the port is taken.
pub(crate) fn serve(folder: &Path, port: u16) -> Result {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("http://{}/", listener.local_addr()?);
    answer_all(&listener, folder);
    Ok(())
}

/// Serves a folder on any free port, in the background, until the program ends. Returns the address of the page.
///
/// # Errors
/// If there is no free port.
pub(crate) fn serve_in_background(folder: PathBuf) -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || answer_all(&listener, &folder));
    Ok(address)
}

fn answer_all(listener: &TcpListener, folder: &Path) {
    for stream in listener.incoming().flatten() {
        let folder = folder.to_owned();
        // A browser that closes its connection early is no reason to stop.
        thread::spawn(move || answer(stream, &folder).ok());
    }
}

/// Answers the requests of a connection.
fn answer(stream: TcpStream, folder: &Path) -> Result {
    let mut out = stream.try_clone()?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(request) = lines.next().transpose()? {
        // The headers do not matter here.
        while lines.next().transpose()?.is_some_and(|header| !header.is_empty()) {}
        let path = request.split(' ').nth(1).unwrap_or("/");
        let file = file_of(path).map(|file| folder.join(file));
        let content = file.as_ref().and_then(|file| fs::read(file).ok());
        let (status, kind, content) = match (&file, content) {
            (Some(file), Some(content)) => ("200 OK", kind_of(file), content),
            _ => ("404 Not Found", "text/plain", b"There is no such file.".to_vec()),
        };
        let length = content.len();
        write!(
            out,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\r\n"
        )?;
        out.write_all(&content)?;
    }
    Ok(())
}

/// Returns the file that a path names, relative to the folder; `None` if it lies outside.
fn file_of(path: &str) -> Option<PathBuf> {
    let path = Path::new(path.split(['?', '#']).next()?.strip_prefix('/')?);
    let is_inside = path.components().all(|component| matches!(component, Component::Normal(_)));
    is_inside.then(|| if path.as_os_str().is_empty() { PathBuf::from("index.html") } else { path.to_owned() })
}

fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_served() {
        assert_eq!(file_of("/"), Some("index.html".into()));
        assert_eq!(file_of("/js/main.js?x#y"), Some("js/main.js".into()));
        for path in ["/../Cargo.toml", "//etc/passwd", "js", "/js/../../x"] {
            assert_eq!(file_of(path), None, "{path}");
        }
    }
}
