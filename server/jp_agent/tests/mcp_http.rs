//! Tools of MCP servers, spoken to over streamable HTTP.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use std::sync::{Arc, Mutex};

use expect_test::expect;
use harness::{World, request, responses};
use jp_agent::TurnControl;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A server at an address of this machine, for as long as the test runs.
#[derive(Clone)]
struct Site {
    url: String,
    /// Every message that it got, a line each.
    log: Arc<Mutex<Vec<String>>>,
    heard: Arc<Notify>,
}

/// One message to the server.
struct Asked {
    method: String,
    headers: Vec<(String, String)>,
    body: Value,
}

impl Asked {
    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(its, _)| its == name);
        found.map_or("", |(_, value)| value)
    }

    fn result(&self, result: Value) -> String {
        json!({ "jsonrpc": "2.0", "id": self.body["id"], "result": result }).to_string()
    }

    /// What a log says of it.
    fn line(&self) -> String {
        let body = match self.body["method"].as_str() {
            Some("notifications/cancelled") => " notifications/cancelled".to_owned(),
            Some(method) => format!(" {method} {}", self.body["params"]["arguments"]),
            None => String::new(),
        };
        let mut line = format!("{}{}", self.method, body.replace(" null", ""));
        for name in ["authorization", "mcp-session-id", "mcp-protocol-version"] {
            match self.header(name) {
                "" => {}
                value => line.push_str(&format!(" [{name}: {value}]")),
            }
        }
        line
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
}

fn as_json(body: &str) -> String {
    answer("200 OK", "Content-Type: application/json\r\n", body)
}

fn as_events(body: &str) -> String {
    answer(
        "200 OK",
        "Content-Type: text/event-stream; charset=utf-8\r\n",
        body,
    )
}

/// What a server with one tool answers; nothing where it keeps the connection and says nothing.
fn tool_server(asked: &Asked) -> Option<String> {
    let text = |text: &str| asked.result(json!({ "content": [{ "type": "text", "text": text }] }));
    let tools = json!({ "tools": [{ "name": "say", "inputSchema": { "type": "object" } }] });
    Some(
        match (asked.method.as_str(), asked.body["method"].as_str()) {
            ("GET", _) => answer("405 Method Not Allowed", "", ""),
            ("DELETE", _) => answer("204 No Content", "", ""),
            (_, Some("initialize")) => {
                let result = json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "s", "version": "1" },
                });
                let headers = "Content-Type: application/json\r\nMcp-Session-Id: abc\r\n";
                answer("200 OK", headers, &asked.result(result))
            }
            (_, Some("tools/list")) => as_json(&asked.result(tools)),
            (_, Some("tools/call")) => match asked.body["params"]["arguments"]["word"].as_str() {
                Some("pretty") => {
                    let body = serde_json::to_string_pretty(
                        &serde_json::from_str::<Value>(&text("in lines")).unwrap(),
                    );
                    as_json(&body.unwrap().replace('\n', "\r\n"))
                }
                Some("events") => {
                    let progress = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "?" } });
                    let (begun, ended) = (text("at last"), "\n\n");
                    let (head, tail) = begun.split_at(begun.find(',').unwrap() + 1);
                    as_events(&format!(
                        ": hello\n\nevent: message\ndata: {progress}\n\nid: 7\ndata:{head}\ndata: {tail}{ended}"
                    ))
                }
                Some("broken") => as_events(
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"?\"}}\n\n",
                ),
                Some("page") => answer("200 OK", "Content-Type: text/html\r\n", "<p>Log in!"),
                Some("crash") => answer("500 Internal Server Error", "", "trace"),
                Some("bytes") => return None,
                Some("flood") => as_json(&text(&"x".repeat(17_000_000))),
                Some("flood events") => {
                    as_events(&format!("data: {}\n\n", text(&"x".repeat(17_000_000))))
                }
                Some("forget") => answer("404 Not Found", "", ""),
                Some("hang") => return None,
                word => as_json(&text(word.unwrap_or("hm"))),
            },
            _ => answer("202 Accepted", "", ""),
        },
    )
}

impl Site {
    async fn start(server: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let site = Self {
            url: format!("http://{}/mcp", listener.local_addr().unwrap()),
            log: Arc::default(),
            heard: Arc::default(),
        };
        let (its, server) = (site.clone(), Arc::new(server));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (site, server) = (its.clone(), Arc::clone(&server));
                tokio::spawn(async move { site.serve(stream, &*server).await });
            }
        });
        site
    }

    async fn serve(&self, stream: TcpStream, server: &(impl Fn(&Asked) -> Option<String> + Sync)) {
        let mut stream = BufReader::new(stream);
        while let Some(asked) = read(&mut stream).await {
            self.log.lock().unwrap().push(asked.line());
            self.heard.notify_waiters();
            match server(&asked) {
                Some(answer) => {
                    if stream.write_all(answer.as_bytes()).await.is_err() {
                        return;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Waits until it has got a message that begins so.
    async fn gets(&self, beginning: &str) {
        loop {
            let heard = self.heard.notified();
            tokio::pin!(heard);
            heard.as_mut().enable();
            let has = |line: &String| line.starts_with(beginning);
            if self.log.lock().unwrap().iter().any(has) {
                return;
            }
            heard.await;
        }
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let method = first.split_whitespace().next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Asked {
        method,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}

/// A model that says these words to the tool `talk`, one a cycle.
fn words(words: &[&str]) -> String {
    let cycles = words.iter().enumerate().map(|(number, word)| {
        format!(
            "[[cycles]]\nbatches = [[{{ tool_call = {{ id = \"c{number}\", name = \"talk\", arguments = {{ word = \"{word}\" }} }} }}]]\n"
        )
    });
    cycles.collect::<String>() + "[[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n"
}

fn world(url: &str, server: Value, script: &str) -> World {
    let world = World::new(
        &json!({ "talk": { "source": "mcp.s.say", "run": "unattended" } }),
        script,
    );
    let mut settings = json!({ "type": "http", "url": url });
    for (key, value) in server.as_object().unwrap() {
        settings[key] = value.clone();
    }
    world.config.lock().unwrap()["providers"]["mcp"]["s"] = settings;
    world
}

fn end(world: &World) -> String {
    let log = world.log.text();
    log.lines().last().unwrap().to_owned()
}

#[tokio::test]
async fn a_tool_is_called_in_a_session() {
    let site = Site::start(tool_server).await;
    let token = json!({ "bearer_token_env": "CARGO_PKG_NAME" });
    let recorded = {
        let world = world(&site.url, token, &words(&["hi", "pretty", "events"]));
        world.turn().await
    };
    expect![[r#"
        {"id":"c0","content":"hi","is_error":false}
        {"id":"c1","content":"in lines","is_error":false}
        {"id":"c2","content":"at last","is_error":false}"#]]
    .assert_eq(&responses(&recorded));
    // The session ends with whoever asked.
    site.gets("DELETE").await;
    let mut log: Vec<String> = site.log().lines().map(str::to_owned).collect();
    // The server is asked what it says by itself, beside everything else.
    let listening = log.iter().position(|line| line.starts_with("GET")).unwrap();
    assert_eq!(
        log.remove(listening),
        "GET [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]"
    );
    expect![[r#"
        POST initialize [authorization: Bearer jp_agent]
        POST notifications/initialized [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]
        POST tools/list [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]
        POST tools/call {"word":"hi"} [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]
        POST tools/call {"word":"pretty"} [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]
        POST tools/call {"word":"events"} [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]
        DELETE [authorization: Bearer jp_agent] [mcp-session-id: abc] [mcp-protocol-version: 2025-06-18]"#]]
    .assert_eq(&log.join("\n"));
}

#[tokio::test]
async fn an_answer_that_is_none_fails_its_call_at_once() {
    let site = Site::start(tool_server).await;
    let said = ["broken", "page", "crash", "flood", "flood events", "hi"];
    let world = world(&site.url, json!({}), &words(&said));
    expect![[r#"
        {"id":"c0","content":"Tool 'talk' failed: its server ended its answer before it was there","is_error":true}
        {"id":"c1","content":"Tool 'talk' failed: its server answered with `text/html`, which is no MCP","is_error":true}
        {"id":"c2","content":"Tool 'talk' failed: its server answered with 500 Internal Server Error","is_error":true}
        {"id":"c3","content":"Tool 'talk' failed: its server answered with more than 16 MiB, which is the limit","is_error":true}
        {"id":"c4","content":"Tool 'talk' failed: its server answered with more than 16 MiB, which is the limit","is_error":true}
        {"id":"c5","content":"hi","is_error":false}"#]]
    .assert_eq(&responses(&world.turn().await));
}

#[tokio::test]
async fn a_session_that_the_server_has_ended_is_followed_by_another() {
    let site = Site::start(tool_server).await;
    let world = world(&site.url, json!({}), &words(&["forget", "hi"]));
    expect![[r#"
        {"id":"c0","content":"Tool 'talk' failed: its MCP server `s` ended during the call: it has ended the session (404 Not Found). What the call has done until then is not known. The next call starts the server again.","is_error":true}
        {"id":"c1","content":"hi","is_error":false}"#]]
    .assert_eq(&responses(&world.turn().await));
    let log = site.log();
    let sessions = log.lines().filter(|line| *line == "POST initialize");
    assert_eq!(sessions.count(), 2, "{log}");
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_there() {
    let site = Site::start(tool_server).await;
    let world = world(&site.url, json!({}), &words(&["hang"]));
    let recorded = {
        let (world, site) = (&world, &site);
        world
            .turn_while(|handle| async move {
                site.gets("POST tools/call").await;
                handle.cancel();
            })
            .await
    };
    assert_eq!(
        responses(&recorded),
        r#"{"id":"c0","content":"Tool execution cancelled by user.","is_error":false}"#
    );
    site.gets("POST notifications/cancelled").await;
}

#[tokio::test]
async fn a_server_that_wants_to_know_who_asks_says_what_is_missing() {
    let site = Site::start(|_| Some(answer("401 Unauthorized", "", ""))).await;
    let end_of = async |server: Value| {
        let world = world(&site.url, server, &words(&["hi"]));
        world.turn().await;
        end(&world)
    };
    let ends = [
        end_of(json!({})).await,
        end_of(json!({ "bearer_token_env": "CARGO_PKG_NAME" })).await,
        end_of(json!({ "bearer_token_env": "JP_LSP_NO_SUCH_VARIABLE" })).await,
    ];
    expect![[r#"
        end failed: MCP server `s`: its server wants to know who asks (401 Unauthorized): put its token into a variable of the environment, and name that as `bearer_token_env`; there is no OAuth here
        end failed: MCP server `s`: its server does not accept the token in `CARGO_PKG_NAME` (401 Unauthorized)
        end failed: MCP server `s`: it is not asked, because `JP_LSP_NO_SUCH_VARIABLE` is not set: put its token into this variable of the environment"#]]
    .assert_eq(&ends.join("\n"));
}

#[tokio::test]
async fn a_token_goes_to_the_address_that_is_written_and_no_other() {
    let other = Site::start(tool_server).await;
    let headers = format!("Location: {}\r\n", other.url);
    let site = Site::start(move |_| Some(answer("307 Temporary Redirect", &headers, ""))).await;
    let token = json!({ "bearer_token_env": "CARGO_PKG_NAME" });
    let world = world(&site.url, token, &words(&["hi"]));
    world.turn().await;
    assert_eq!(
        end(&world),
        format!(
            "end failed: MCP server `s`: its server leads on to `{}`, which is not followed: write the address that is meant",
            other.url
        )
    );
    assert_eq!(other.log(), "");
}

#[tokio::test]
async fn an_address_that_cannot_be_trusted_is_not_asked() {
    let mut ends = Vec::new();
    for url in [
        json!("http://docs.example/mcp"),
        json!("https://ada:secret@docs.example/mcp"),
        json!("file:///etc/passwd"),
        json!("docs.example"),
        json!(""),
        Value::Null,
    ] {
        let world = world("", json!({ "url": url }), &words(&["hi"]));
        world.turn().await;
        ends.push(end(&world));
    }
    // Nobody listens at a port that was given back.
    let free = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let url = format!("http://{address}/mcp");
    let world = world(&url, json!({}), &words(&["hi"]));
    world.turn().await;
    ends.push(end(&world));
    expect![[r#"
        end failed: /w/providers.mcp.s.urlNone:1: `providers.mcp.s.url`: what is sent to `http://docs.example/mcp` could be read and changed on its way: write `https://…`, or an address of this machine
        end failed: /w/providers.mcp.s.urlNone:1: `providers.mcp.s.url`: the address holds a name or a password, which anybody reads who reads the config: put a token into a variable of the environment, and name that as `bearer_token_env`
        end failed: /w/providers.mcp.s.urlNone:1: `providers.mcp.s.url`: `file:///etc/passwd` cannot be asked over HTTP, write `https://…`
        end failed: /w/providers.mcp.s.urlNone:1: `providers.mcp.s.url`: `docs.example` is not an address: relative URL without a base; write one such as `https://docs.example/mcp`
        end failed: /w/providers.mcp.s.urlNone:1: `providers.mcp.s.url`: is missing, write the address of the server, such as `https://docs.example/mcp`
        end failed: /w/providers.mcp.s.urlNone:1: `providers.mcp.s.url`: is missing, write the address of the server, such as `https://docs.example/mcp`
        end failed: MCP server `s`: its server cannot be reached: Connection refused (os error 111)"#]].assert_eq(&ends.join("\n"));
}

#[tokio::test]
async fn tools_that_a_server_adds_are_heard_of() {
    let site = Site::start(|asked| {
        match (asked.method.as_str(), asked.body["method"].as_str()) {
            // The stream stays open, as long as anybody listens.
            ("GET", _) => {
                let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
                let event = format!("data: {changed}\n\n");
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
                Some(format!(
                    "{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{event}\r\n",
                    event.len()
                ))
            }
            _ => tool_server(asked),
        }
    })
    .await;
    let world = world(&site.url, json!({}), &(words(&["hi"]) + &words(&[])));
    let runtime = world.runtime();
    let turn = runtime.turn(
        world.conversation(),
        request("Do it."),
        TurnControl::new().1,
    );
    let writer = turn.await.writer.unwrap();
    site.gets("GET").await;
    // It is heard some time after it was said.
    let mut writer = writer;
    let lists = |log: &str| {
        log.lines()
            .filter(|line| line.contains("tools/list"))
            .count()
    };
    while lists(&site.log()) < 2 {
        let turn = runtime.turn(writer, request("And?"), TurnControl::new().1);
        writer = turn.await.writer.unwrap();
    }
}
