/* Chang-Roberts on a ring with identities N .. 1 clockwise, as one writes it in Promela: a channel for each link.
 *
 * The program that uses this file puts before it: N; STARTS and DELIVERIES, which are START(i, next) and
 * DELIVER(i, next) for each i < N; and LINKS, which is LINK(i, most) for each i < N, `most` being the most messages
 * that the link into process i ever holds. Room for more would only make the states longer.
 *
 * One process carries out all deliveries: N processes would add N program counters to each state, which never change
 * between deliveries, and Spin would be slower by them. A delivery is a d_step, hence one transition.
 *
 * Starting is part of the first delivery (the atomic sequence): Spin stores no state inside it. The ring as declared
 * stands for the ring in which all have started; nothing leads back to either, so it counts once, as it should.
 */

#define ELECTED 32 /* elected(j) is j + ELECTED, election(j) is j */

#define LINK(i, most) chan link##i = [most] of { byte };
LINKS

bool participant[N];
bool leader[N];
byte coordinator[N];
hidden byte m; /* no part of the state: of no use between deliveries */
hidden byte k;

#define ID(i) (N - i)

#define DELIVER(i, next) \
  :: d_step { \
       link##i?m -> \
       if \
       :: m > ELECTED -> \
            coordinator[i] = m - ELECTED; \
            participant[i] = false; \
            if :: m != ELECTED + ID(i) -> link##next!m :: else fi \
       :: m < ELECTED && m > ID(i) -> participant[i] = true; link##next!m \
       :: m < ID(i) && !participant[i] -> participant[i] = true; link##next!ID(i) \
       :: m < ID(i) && participant[i] -> skip \
       :: m == ID(i) -> \
            for (k : 0 .. N - 1) { assert(!leader[k]) } \
            leader[i] = true; \
            link##next!(ID(i) + ELECTED) \
       fi \
     }

#define START(i, next) participant[i] = true; link##next!ID(i);

active proctype ring() {
  atomic {
    STARTS
    if
    DELIVERIES
    fi
  }
end:
  do
  DELIVERIES
  od
}
