// SPDX-License-Identifier: GPL-2.0-only

//! C's side, as bindgen read it from the tree's own headers.

#![allow(
    dead_code,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    clippy::all
)]

include!("bindings_generated.rs");
