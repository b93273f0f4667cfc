//! The forms of `enable` (RFD 081).
