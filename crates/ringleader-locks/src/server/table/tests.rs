//! A table does what a tree does.

use super::*;

/// It does what a tree does, whatever the order of what comes and goes.
#[test]
fn a_table_is_a_tree_that_is_quicker() {
    let names: Vec<Name> = (0..200).map(|number| Name::lock(&number.to_string()).expect("a name")).collect();
    let (mut table, mut tree) = (Table::default(), BTreeMap::new());
    let mut random = 7_u64;
    for step in 0..20_000_u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let name = &names[(random >> 33) as usize % names.len()];
        match (random >> 20) % 5 {
            0 | 1 => {
                table.insert(name, step);
                tree.insert(name.clone(), step);
            }
            2 => {
                let kept = *table.get_or(name, || step);
                assert_eq!(kept, *tree.entry(name.clone()).or_insert(step));
            }
            3 => assert_eq!(table.remove(name), tree.remove(name)),
            4 => {
                table.retain(|_, value| *value % 16 != step % 16);
                tree.retain(|_, value| *value % 16 != step % 16);
            }
            _ => {}
        }
        assert_eq!(table.get(name), tree.get(name));
        assert_eq!(table.len(), tree.len());
    }
    assert!(table.iter().eq(tree.iter()) && table.len() > 10);
    let middle = &names[100];
    assert!(table.after(Some(middle)).all(|(name, _)| name > middle));
}

#[test]
fn equal_tables_have_equal_hashes() {
    let name = |text| Name::lock(text).expect("a name");
    let (mut one, mut other) = (Table::default(), Table::default());
    for text in ["a", "b", "c"] {
        one.insert(&name(text), 1);
    }
    one.remove(&name("a"));
    for text in ["c", "b"] {
        other.insert(&name(text), 1);
    }
    assert_eq!(one, other);
}
