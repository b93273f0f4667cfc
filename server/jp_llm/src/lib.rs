//! Model providers behind one trait: streaming text, reasoning, tool calls.
