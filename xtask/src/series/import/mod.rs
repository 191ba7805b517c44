// SPDX-License-Identifier: MIT OR Apache-2.0
//! Taking in a series as it was sent: gather the mails, choose one posting, lay it down under
//! `patches/`.

mod choose;
mod gather;
mod listing;
mod place;
mod remote;

pub use choose::{Chosen, Senders, Wanted, choose};
pub use gather::{gather, number_in_order};
pub use listing::{list, text};
pub use place::{Place, Placed, place};

#[cfg(test)]
mod tests;
