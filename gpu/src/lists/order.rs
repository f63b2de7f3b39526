//! Puts parents in the order of the other side's pieces.
//!
//! A move leaves the other side's pieces as they are, unless it captures. So the successors of parents with the same pieces of
//! the other side are mostly equal only to each other. If these parents are expanded together, and their successors search in the
//! same window of the table, the window and the new entries stay in the device's cache.

use super::Lists;
use crate::arguments::{CountArmies, OrderByArmy};
use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::runner::{Halt, Runner};

/// The number of parents for each part of the order, and the greatest number of parts, as a power of two.
const PARENTS_EACH: usize = 64;
const MOST_BITS: u32 = 20;

impl<I: Interface> Lists<I> {
    /// Whether parents are expanded in order.
    pub(super) fn is_ordered(&self) -> bool {
        self.parents.as_ref().is_some_and(|list| list.shards.iter().any(|shard| shard.order.is_some()))
    }

    /// Puts the parents in order, if there are enough of them and memory for it.
    pub(super) async fn order_parents(&mut self, runner: &mut Runner<I>) -> Result<(), Halt> {
        let Some(list) = &mut self.parents else { return Ok(()) };
        if list.len() < runner.settings.ordered_from {
            return Ok(());
        }
        for shard in list.shards.iter_mut().filter(|shard| shard.order.is_none() && shard.len > 0) {
            let len = shard.len as usize;
            let bits = (len / PARENTS_EACH).max(2).ilog2().min(MOST_BITS);
            let made = async {
                let counts = Buffer::new(&mut runner.interface, "army_counts", 1 << bits).await?;
                Ok((counts, Buffer::new(&mut runner.interface, "order", len).await?))
            };
            let made = made.await.map_err(|failure| runner.halt("to put positions in order", failure));
            let (counts, order) = match made {
                // The parents are expanded in the order of the list then.
                Err(Halt::OutOfMemory) => return Ok(()),
                made => made?,
            };
            let (entries, army_counts) = (&shard.positions, &counts);
            let (end, shift) = (len as u32, u32::BITS - bits);
            runner.clear("the numbers of positions", army_counts, 1 << bits)?;
            // SAFETY: the shard has these entries, and each part has a count.
            unsafe { runner.launch(len, CountArmies { entries, army_counts, end, shift }) }.await?;
            let mut places = runner.read("the numbers of positions", army_counts, 0, 1 << bits).await?;
            let mut place = 0_u32;
            for count in &mut places {
                place = place.wrapping_add(std::mem::replace(count, place));
            }
            if place != end {
                return Err(runner.wrong(format!("it counted {place} positions, and there are {end}.")));
            }
            runner.write("the places of positions", army_counts, &places)?;
            // Whatever the device does, the order holds numbers of entries.
            runner.clear("the order of positions", &order, len)?;
            // SAFETY: as above; the kernel writes only places in the order.
            unsafe { runner.launch(len, OrderByArmy { entries, army_counts, new_order: &order, end, shift }) }.await?;
            shard.order = Some(order);
        }
        Ok(())
    }
}
