// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool, driven as a user drives it.

mod bad_input;
mod compare;
mod end_to_end;
mod guard;
mod matrix;
mod matrix_file;
mod series;
mod surface;
mod tool;
