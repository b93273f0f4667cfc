//! Whether one frame's content is a message that the framework can decode.
//!
//! ```json
//! { "jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {} }
//! ```

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{ErrorCode, Id};

/// What to do with a frame.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Hand it on as it is.
    Message,
    /// Hand this on instead: a response in the form that the framework insists on.
    Rewritten(Vec<u8>),
    /// The messages of a batch.
    Batch(Vec<Vec<u8>>),
    /// Nothing to answer and nothing to hand on.
    Dropped(&'static str),
    /// Answer with this error.
    Refused {
        id: Id,
        code: ErrorCode,
        message: String,
    },
}

/// Checks the content of one frame. The content is decoded as deeply as the framework will do it, without keeping it.
pub(super) fn judge(body: &[u8]) -> Verdict {
    match serde_json::from_slice::<Shape>(body) {
        Ok(Shape::Object(envelope)) => judge_envelope(&envelope, body),
        Ok(Shape::Array) => match serde_json::from_slice::<Vec<Value>>(body) {
            Ok(messages) => Verdict::Batch(
                messages
                    .iter()
                    .map(|message| message.to_string().into_bytes())
                    .collect(),
            ),
            Err(error) => no_json(&error),
        },
        Ok(Shape::Scalar) => invalid(Id::Null, "a message must be a JSON object"),
        Err(error) => no_json(&error),
    }
}

fn judge_envelope(envelope: &Envelope, body: &[u8]) -> Verdict {
    let id = match &envelope.id {
        Field::Present(Value::String(id)) => Some(Id::String(id.clone())),
        Field::Present(Value::Number(id)) => id.as_i64().map(Id::Number),
        _ => None,
    };
    let answer_to = id.clone().unwrap_or(Id::Null);
    if envelope.repeated {
        return invalid(answer_to, "a message must not repeat a field");
    }
    if !envelope.version {
        return invalid(answer_to, "a message must say `\"jsonrpc\": \"2.0\"`");
    }
    match (envelope.method, id) {
        (Some(Kind::String), id) => {
            if id.is_none() && !matches!(envelope.id, Field::Absent) {
                return invalid(Id::Null, "`id` must be a whole number or a string");
            }
            match envelope.params {
                None | Some(Kind::Object | Kind::Array | Kind::Null) => Verdict::Message,
                Some(_) => invalid(answer_to, "`params` must be an object or an array"),
            }
        }
        (Some(_), _) => invalid(answer_to, "`method` must be a string"),
        (None, Some(id)) if envelope.result != envelope.error => rewrite_response(&id, body),
        (None, None) if envelope.result != envelope.error => {
            Verdict::Dropped("a response without the id of a request")
        }
        (None, _) => invalid(
            answer_to,
            "a message must have a `method`, a `result` or an `error`",
        ),
    }
}

/// The framework refuses an error object with further fields, so only the known ones go on.
fn rewrite_response(id: &Id, body: &[u8]) -> Verdict {
    let Ok(mut response) = serde_json::from_slice::<Value>(body) else {
        return Verdict::Dropped("an undecodable response");
    };
    let rewritten = match response.get_mut("error").map(Value::take) {
        None => {
            json!({ "jsonrpc": "2.0", "id": id, "result": response.get_mut("result").map(Value::take) })
        }
        Some(error) => {
            let code = error
                .get("code")
                .and_then(Value::as_i64)
                .unwrap_or_else(|| ErrorCode::InternalError.code());
            let message = error
                .get("message")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let mut known = json!({ "code": code, "message": message });
            if let (Some(known), Some(data)) = (known.as_object_mut(), error.get("data")) {
                known.insert("data".into(), data.clone());
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": known })
        }
    };
    Verdict::Rewritten(rewritten.to_string().into_bytes())
}

fn invalid(id: Id, message: &str) -> Verdict {
    Verdict::Refused {
        id,
        code: ErrorCode::InvalidRequest,
        message: message.into(),
    }
}

fn no_json(error: &serde_json::Error) -> Verdict {
    Verdict::Refused {
        id: Id::Null,
        code: ErrorCode::ParseError,
        message: format!("the frame's content is not valid JSON: {error}"),
    }
}

/// The outermost form of a frame's content.
enum Shape {
    Object(Envelope),
    Array,
    Scalar,
}

#[derive(Default)]
struct Envelope {
    version: bool,
    id: Field,
    method: Option<Kind>,
    params: Option<Kind>,
    result: bool,
    error: bool,
    repeated: bool,
}

/// A field that may be absent, which is not the same as null.
#[derive(Default)]
enum Field {
    #[default]
    Absent,
    Present(Value),
}

/// The kind of a value whose every part was decoded and none kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
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
                envelope(map).map(Shape::Object)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
                while seq.next_element::<Kind>()?.is_some() {}
                Ok(Shape::Array)
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
    let mut seen_version = false;
    while let Some(key) = map.next_key::<String>()? {
        match key.as_str() {
            "jsonrpc" => {
                envelope.repeated |= std::mem::replace(&mut seen_version, true);
                envelope.version = map.next_value::<Value>()? == "2.0";
            }
            "id" => {
                envelope.repeated |= matches!(envelope.id, Field::Present(_));
                envelope.id = Field::Present(map.next_value()?);
            }
            "method" => envelope.repeated |= envelope.method.replace(map.next_value()?).is_some(),
            "params" => envelope.repeated |= envelope.params.replace(map.next_value()?).is_some(),
            "result" => {
                map.next_value::<Kind>()?;
                envelope.repeated |= std::mem::replace(&mut envelope.result, true);
            }
            "error" => {
                map.next_value::<Kind>()?;
                envelope.repeated |= std::mem::replace(&mut envelope.error, true);
            }
            _ => {
                map.next_value::<Kind>()?;
            }
        }
    }
    Ok(envelope)
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KindVisitor;

        impl<'de> Visitor<'de> for KindVisitor {
            type Value = Kind;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kind, A::Error> {
                while map.next_entry::<Kind, Kind>()?.is_some() {}
                Ok(Kind::Object)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Kind, A::Error> {
                while seq.next_element::<Kind>()?.is_some() {}
                Ok(Kind::Array)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Kind, E> {
                Ok(Kind::Boolean)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Kind, E> {
                Ok(Kind::Number)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Kind, E> {
                Ok(Kind::Number)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Kind, E> {
                Ok(Kind::Number)
            }

            fn visit_str<E>(self, _: &str) -> Result<Kind, E> {
                Ok(Kind::String)
            }

            fn visit_unit<E>(self) -> Result<Kind, E> {
                Ok(Kind::Null)
            }
        }

        deserializer.deserialize_any(KindVisitor)
    }
}
