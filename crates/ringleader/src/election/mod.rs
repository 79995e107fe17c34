//! Leader election: one algorithm, one folder. This list is the registry, in the order of the book.

// A line has the folder, the process, and what else it shows to others.
catalogue! { election
    le_lann: LeLann;
    chang_roberts: ChangRoberts;
    hirschberg_sinclair: HirschbergSinclair;
    dolev_klawe_rodeh: DolevKlaweRodeh;
    peterson: Peterson;
    peterson_improved: PetersonImproved;
    dolev_klawe_rodeh_b: DolevKlaweRodehB;
    higham_przytycka: HighamPrzytycka;
    franklin: Franklin;
    stages_with_feedback: StagesWithFeedback;
    alternate: Alternate;
    van_leeuwen_tan_half_duplex: VanLeeuwenTanHalfDuplex;
    van_leeuwen_tan: VanLeeuwenTan;
    probabilistic_franklin: ProbabilisticFranklin;
    itai_rodeh: ItaiRodeh;
    itai_rodeh_sync: ItaiRodehSync;
    itai_rodeh_synchronised: ItaiRodehSynchronised, LockStep, Paced, Placed, Synchronised;
    itai_rodeh_coin: ItaiRodehCoin;
    korach_moran_zaks: KorachMoranZaks;
    humblet: Humblet;
    bully: Bully;
    ring_active_list: RingActiveList;
    ring_collect: RingCollect;
}
