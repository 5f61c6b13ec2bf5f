//! Tool, parameter and argument names (`decisions.md` 3).
