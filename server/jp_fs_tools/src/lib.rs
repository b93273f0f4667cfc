//! The bundled file-system tools as one binary.
