//! The self-test of the kinds of moves: known numbers, plain and weighted by multiplicity.

use crate::merge::{Filter, MergeError, MergeOptions, WeightedPosition, add_categories};
use crate::{Backend, BackendError, Categories, Fen, Quad48, Rules, unwatched};

/// Positions and their leaves two plies below by kind, in the order of [`Categories`], computed by the mailbox generator. The
/// positions come from the self-test of counting and from a few other tests. Positions with equal rules are adjacent.
const KNOWN: &str = include_str!("categories.tsv");

/// Memory for the merged positions, far more than necessary.
const MEMORY: u64 = 1 << 28;

/// Positions with equal rules, and their known leaves by kind.
///
/// [`categories`] asks a [`Backend`] all these questions; a caller that cannot wait for a backend asks it the questions
/// itself.
pub struct KindsQuestion {
    /// The rules of all positions.
    pub rules: Rules,
    /// The positions.
    pub positions: Vec<Quad48>,
    known: Vec<KnownKinds>,
}

impl KindsQuestion {
    /// The depth of the leaves.
    pub const DEPTH: u32 = 2;

    /// Compares the answers of a device with the known ones.
    ///
    /// # Errors
    /// [`BackendError::WrongAnswer`] for the first wrong answer.
    pub fn check(&self, device: &str, found: &[Categories]) -> Result<(), BackendError> {
        self.known.iter().enumerate().try_for_each(|(index, known)| {
            let place = format!("{} plies below {}", Self::DEPTH, known.fen);
            check(device, &place, found.get(index), &known.categories)
        })
    }
}

struct KnownKinds {
    fen: Fen,
    position: Quad48,
    categories: Categories,
}

impl KnownKinds {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let fen: Fen = fields.next()?.parse().ok()?;
        let mut numbers = [0; Categories::COUNT];
        for number in &mut numbers {
            *number = fields.next()?.parse().ok()?;
        }
        Some(Self { fen, position: Quad48::from(&fen.position), categories: Categories::from_array(numbers) })
    }
}

/// Returns the questions, one for each set of rules.
pub fn questions_by_kind() -> Vec<KindsQuestion> {
    let mut questions: Vec<KindsQuestion> = Vec::new();
    for known in KNOWN.lines().filter_map(KnownKinds::parse) {
        match questions.last_mut().filter(|question| question.rules == known.fen.rules) {
            Some(question) => {
                question.positions.push(known.position);
                question.known.push(known);
            }
            None => {
                let (rules, positions) = (known.fen.rules, vec![known.position]);
                questions.push(KindsQuestion { rules, positions, known: vec![known] });
            }
        }
    }
    questions
}

/// Checks [`Backend::categories`] and [`Summand::Kinds`](crate::merge::Summand::Kinds) against known numbers.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if a number is wrong, or the error that the backend reports.
pub fn categories<B: Backend + ?Sized>(backend: &mut B) -> Result<(), BackendError> {
    for question in questions_by_kind() {
        let found = backend.categories(&question.rules, &question.positions, KindsQuestion::DEPTH, &mut unwatched)?;
        question.check(&backend.info().name, &found)?;
        weighted(backend, &question)?;
    }
    Ok(())
}

/// Checks the sums of white's positions, weighted by multiplicities of more than 64 bits.
fn weighted<B: Backend + ?Sized>(backend: &mut B, question: &KindsQuestion) -> Result<(), BackendError> {
    let white = question.known.iter().filter(|known| known.position.state().turn() == crate::Color::White);
    let (mut entries, mut expected) = (Vec::new(), Ok(Categories::default()));
    for (number, known) in white.enumerate() {
        let multiplicity = (1 << 70) + 3 * number as u128;
        entries.push(WeightedPosition { position: known.position, multiplicity });
        expected = expected.and_then(|sum| add_categories(&sum, multiplicity, &known.categories));
    }
    let options = MergeOptions::with_memory(MEMORY).counting_categories(true);
    let found = backend.merge(&question.rules, &options).map_err(MergeError::from).and_then(|mut merge| {
        merge.reserve(entries.len() as u64, Filter::All)?;
        merge.add(&entries)?;
        merge.categories(0..merge.successors(), KindsQuestion::DEPTH)
    });
    match (found, expected) {
        (Ok(found), Ok(expected)) => check(&backend.info().name, "for weighted positions", Some(&found), &expected),
        (Err(MergeError::Backend(error)), _) => Err(error),
        (Err(error), _) | (_, Err(error)) => {
            let reason = format!("for weighted positions, it says: {error}");
            Err(BackendError::WrongAnswer { device: backend.info().name.clone(), reason })
        }
    }
}

fn check(device: &str, place: &str, found: Option<&Categories>, expected: &Categories) -> Result<(), BackendError> {
    if found == Some(expected) {
        return Ok(());
    }
    let reason = format!("the leaves by kind {place} are {:?}, and it found {found:?}.", expected.to_array());
    Err(BackendError::WrongAnswer { device: device.to_owned(), reason })
}
