//! Recordings as replies: JSON-like parsing with safe numbers, cuts, base64.
