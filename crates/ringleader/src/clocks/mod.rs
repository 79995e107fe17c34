//! Clocks that are brought together: one algorithm, one folder. This list is the registry, in the order of the book.

// A line has the folder, the process, and what else it shows to others.
catalogue! { timekeeping
    cristian: Cristian;
    berkeley: Berkeley, largest_group, mean;
    berkeley_failover: BerkeleyFailover;
    pub ntp: Ntp;
    lundelius_lynch: LundeliusLynch;
}
