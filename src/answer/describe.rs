//! Descriptions of tools: method, template, what it returns, statuses, records.
