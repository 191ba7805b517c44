// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first process of a test guest.

fn main() {}
