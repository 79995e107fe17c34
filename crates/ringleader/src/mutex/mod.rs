//! Mutual exclusion: one algorithm, one folder. This list is the registry, in the order of the book.

// A line has the folder, the process, and what else it shows to others.
catalogue! { exclusion
    central: Central;
    central_failover: CentralFailover;
    lamport: Lamport;
    ricart_agrawala: RicartAgrawala;
    carvalho_roucairol: CarvalhoRoucairol;
    singhal_dynamic: SinghalDynamic;
    maekawa: Maekawa, Planes, Quorums, Voting;
    tree_quorum: TreeQuorum, Paths, live_quorum;
    ricart_agrawala_token: RicartAgrawalaToken;
    suzuki_kasami: SuzukiKasami;
    raymond: Raymond;
    singhal_heuristic: SinghalHeuristic;
    naimi_trehel: NaimiTrehel;
    pub homed_chain: HomedChain;
    homed_chain_resend: HomedChainResend;
    token_ring: TokenRing;
    token_ring_failover: TokenRingFailover;
    misra: Misra, Numbers, PingPong, ping_pong_rules;
    misra_bounded: MisraBounded, Bounded;
    misra_k: MisraK;
    dekker: Dekker;
    dijkstra_1965: Dijkstra1965;
    peterson_lock: PetersonLock;
    filter_lock: FilterLock;
    bakery: Bakery;
    dijkstra_k: DijkstraK;
    dijkstra_k_messages: DijkstraKMessages;
    dijkstra_4: Dijkstra4;
    dijkstra_3: Dijkstra3;
}
