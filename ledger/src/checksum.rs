//! Checksums, which reveal changes that kogge did not make: a flipped bit, or an edit by hand.

use sha2::{Digest, Sha256};

use crate::source::Source;
use crate::store::{Answer, Count, Header, Item, LedgerEntry, key_bytes};

fn first_eight(hash: Sha256) -> u64 {
    hash.finalize().iter().take(8).fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Adds a count.
fn add_count(hash: &mut Sha256, count: &Count) {
    hash.update(count.leaves.to_be_bytes());
    if let Some(size) = count.size {
        hash.update(size.positions.to_be_bytes());
        hash.update(size.paths.to_be_bytes());
    }
    // The first number, the sum of all leaves, is already added above.
    for number in count.categories.iter().flat_map(|categories| categories.to_array()).skip(1) {
        hash.update(number.to_be_bytes());
    }
}

/// Adds texts, each after its length, so that no two lists of texts add the same bytes.
fn add_texts<const N: usize>(hash: &mut Sha256, texts: [&String; N]) {
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
}

impl Answer {
    /// Returns the checksum of the entry's number, the count and its source.
    pub(super) fn checksum(&self, source: &Source) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.id.to_be_bytes());
        add_count(&mut hash, &self.count);
        let Source { backend, device, variant, kogge, plan } = source;
        add_texts(&mut hash, [backend, device, variant, kogge, plan]);
        first_eight(hash)
    }
}

/// The hash of a ledger's tree and of the entries so far.
pub(super) struct Hash(Sha256);

impl Hash {
    pub(super) fn of(header: &Header) -> Self {
        let mut hash = Sha256::new();
        hash.update(header.root_bytes());
        hash.update(header.castling());
        hash.update(header.depth.to_be_bytes());
        hash.update(header.ply.to_be_bytes());
        hash.update(header.entries.to_be_bytes());
        hash.update(header.paths.to_be_bytes());
        Self(hash)
    }

    /// Adds an entry.
    pub(super) fn add(&mut self, entry: &LedgerEntry) {
        self.0.update(entry.id.to_be_bytes());
        match &entry.item {
            Item::Position { packed, multiplicity } => {
                self.0.update(packed);
                self.0.update(multiplicity.to_be_bytes());
            }
            Item::Range(range) => {
                self.0.update(key_bytes(&range.first));
                self.0.update(key_bytes(&range.last));
            }
        }
    }

    /// Adds the count of the most recently added entry.
    pub(super) fn add_count(&mut self, count: &Count) {
        add_count(&mut self.0, count);
    }

    /// Returns the checksum of the ledger: of the tree, the entries, and the texts of the header, which change no total.
    pub(super) fn checksum(mut self, header: &Header) -> u64 {
        add_texts(&mut self.0, [&header.plan, &header.kogge]);
        first_eight(self.0)
    }

    pub(super) fn bytes(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Returns the checksum of a new ledger, whose entries are numbered from 0.
pub(super) fn of_new(header: &Header, items: &[Item]) -> u64 {
    let mut hash = Hash::of(header);
    (0..).zip(items).for_each(|(id, &item)| hash.add(&LedgerEntry { id, item }));
    hash.checksum(header)
}
