//! Wire types between a host and a tool process, and the reference checks of tool access grants.
