//! What the content of one frame says.
//!
//! ```json
//! { "jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {} }
//! ```
//!
//! Each frame is decoded once, and leniently where clients differ; what is no message is answered, and never ends the session.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

/// Something that the client says.
#[derive(Debug)]
pub(super) enum Message {
    /// It tells something.
    Notification { method: String, params: Value },
    /// It asks something.
    Request {
        id: Id,
        method: String,
        params: Value,
    },
    /// It answers something.
    Response(Response),
    /// It says nothing that can be understood.
    Refused(Refusal),
}

/// What is wrong with a frame or a message.
#[derive(Debug)]
pub(super) struct Refusal {
    id: Id,
    code: ErrorCode,
    message: Cow<'static, str>,
}

impl Refusal {
    /// Something of which not even the id is known.
    pub(super) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: Id::Null,
            code,
            message: message.into(),
        }
    }

    /// The answer that says so.
    pub(super) fn into_response(self) -> Response {
        let error = Error {
            code: self.code,
            message: self.message,
            data: None,
        };
        Response::from_error(self.id, error)
    }
}

/// The messages of one frame: one, those of a batch in their order, or none when there is nothing to act on.
pub(super) fn read(body: &[u8]) -> Vec<Message> {
    match serde_json::from_slice::<Shape>(body) {
        Ok(Shape::Array(messages)) if messages.is_empty() => vec![invalid(
            Id::Null,
            "an empty batch asks for nothing: send one message in each frame",
        )],
        Ok(Shape::Array(messages)) => messages.into_iter().filter_map(read_one).collect(),
        Ok(shape) => read_one(shape).into_iter().collect(),
        Err(error) => vec![Message::Refused(Refusal::new(
            ErrorCode::ParseError,
            format!("the frame's content is not valid JSON: {error}"),
        ))],
    }
}

fn read_one(shape: Shape) -> Option<Message> {
    match shape {
        Shape::Object(envelope) => envelope.into_message(),
        // A batch inside a batch is no message; it is refused instead of followed.
        Shape::Array(_) => Some(invalid(
            Id::Null,
            "a batch cannot hold a batch: send one message in each frame",
        )),
        Shape::Scalar => Some(invalid(Id::Null, "a message must be a JSON object")),
    }
}

fn invalid(id: Id, message: &'static str) -> Message {
    Message::Refused(Refusal {
        id,
        code: ErrorCode::InvalidRequest,
        message: message.into(),
    })
}

/// The outermost form of a frame's content.
enum Shape {
    Object(Box<Envelope>),
    Array(Vec<Shape>),
    Scalar,
}

/// The fields of a message. One that is absent is not the same as one that is null.
#[derive(Default)]
struct Envelope {
    version: Option<Value>,
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
    repeated: bool,
}

impl Envelope {
    fn into_message(self) -> Option<Message> {
        let id = match &self.id {
            Some(Value::String(id)) => Some(Id::String(id.clone())),
            Some(Value::Number(id)) => id.as_i64().map(Id::Number),
            _ => None,
        };
        let answer_to = id.clone().unwrap_or(Id::Null);
        if self.repeated {
            return Some(invalid(answer_to, "a message must not repeat a field"));
        }
        if self.version != Some("2.0".into()) {
            let what = "a message must say `\"jsonrpc\": \"2.0\"`";
            return Some(invalid(answer_to, what));
        }
        match self.method {
            Some(Value::String(method)) => {
                if id.is_none() && self.id.is_some() {
                    let what = "`id` must be a whole number or a string";
                    return Some(invalid(Id::Null, what));
                }
                Some(call(method, id, self.params))
            }
            Some(_) => Some(invalid(answer_to, "`method` must be a string")),
            None => response(id, self.result, self.error),
        }
    }
}

fn call(method: String, id: Option<Id>, params: Option<Value>) -> Message {
    let params = params.unwrap_or_default();
    match (params, id) {
        (Value::Bool(_) | Value::Number(_) | Value::String(_), id) => invalid(
            id.unwrap_or(Id::Null),
            "`params` must be an object or an array",
        ),
        (params, Some(id)) => Message::Request { id, method, params },
        (params, None) => Message::Notification { method, params },
    }
}

fn response(id: Option<Id>, result: Option<Value>, error: Option<Value>) -> Option<Message> {
    let answer = match (result, error) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(lenient(error)),
        _ => {
            let what = "a message must have a `method`, a `result` or an `error`";
            return Some(invalid(id.unwrap_or(Id::Null), what));
        }
    };
    match id {
        Some(id) => Some(Message::Response(Response::from_parts(id, answer))),
        None => {
            tracing::warn!("a response without the id of a request was dropped");
            None
        }
    }
}

/// An error as the client meant it: some send less than the protocol wants, some more.
fn lenient(mut error: Value) -> Error {
    let code = error.get("code").and_then(Value::as_i64);
    let message = error.get("message").and_then(Value::as_str);
    Error {
        code: code.map_or(ErrorCode::InternalError, ErrorCode::from),
        message: message.unwrap_or_default().to_owned().into(),
        data: error.get_mut("data").map(Value::take),
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShapeVisitor;

        impl<'de> Visitor<'de> for ShapeVisitor {
            type Value = Shape;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Shape, A::Error> {
                Ok(Shape::Object(Box::new(envelope(map)?)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
                let mut shapes = Vec::new();
                while let Some(shape) = seq.next_element()? {
                    shapes.push(shape);
                }
                Ok(Shape::Array(shapes))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_unit<E>(self) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }
        }

        deserializer.deserialize_any(ShapeVisitor)
    }
}

fn envelope<'de, A: MapAccess<'de>>(mut map: A) -> Result<Envelope, A::Error> {
    let mut envelope = Envelope::default();
    while let Some(key) = map.next_key::<String>()? {
        let field = match key.as_str() {
            "jsonrpc" => &mut envelope.version,
            "id" => &mut envelope.id,
            "method" => &mut envelope.method,
            "params" => &mut envelope.params,
            "result" => &mut envelope.result,
            "error" => &mut envelope.error,
            _ => {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
        };
        envelope.repeated |= field.replace(map.next_value()?).is_some();
    }
    Ok(envelope)
}
