//! The agent runtime: turn loop, tool execution, prompt broker, config deltas.
