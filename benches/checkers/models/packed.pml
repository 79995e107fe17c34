/* Chang-Roberts on a ring with identities N .. 1 clockwise, for speed: the state in five words, the delivery in C.
 *
 * The program that uses this file puts before it: N, and DELIVERIES, which is DELIVER(i) for each i < N.
 *
 * No start adds a message afterwards and no delivery sends more than one, so at most N messages are on their way. They
 * lie in one word, link after link, with the length of each link beside it. The state begins with all started.
 */

c_decl {
  typedef unsigned __int128 Messages;

  typedef struct {
    unsigned long messages[2];     /* a byte each: first those on the link into process 0, oldest first */
    unsigned long lengths;         /* four bits for each link */
    unsigned long coordinator;     /* four bits for each process; 0 is none */
    unsigned short participant;    /* a bit for each process, likewise below */
    unsigned short leader;
    unsigned int nothing;          /* so that no byte of the state is undefined */
  } Ring;

  enum { ELECTED = 32 };           /* elected(j) is j + ELECTED, election(j) is j */

  static Ring started(void)
  {
    Ring r = { { 0, 0 }, 0, 0, (1u << N) - 1, 0, 0 };
    for (unsigned i = 0; i < N; i++) {
      unsigned long id = i == 0 ? 1 : N - i + 1; /* of the process before it */
      r.messages[i / 8] |= id << 8 * (i % 8);
      r.lengths |= 1ul << 4 * i;
    }
    return r;
  }

  static inline void deliver(Ring *r, unsigned i)
  {
    unsigned id = N - i, next = i + 1 == N ? 0 : i + 1, at = 0, sent = 0;
    for (unsigned long before = r->lengths & ((1ul << 4 * i) - 1); before; before >>= 4)
      at += before & 15;
    Messages all = (Messages) r->messages[1] << 64 | r->messages[0];
    Messages below = ((Messages) 1 << 8 * at) - 1;
    unsigned m = all >> 8 * at & 255;
    all = (all & below) | (all >> 8 & ~below);
    r->lengths -= 1ul << 4 * i;

    if (m > ELECTED) {
      r->coordinator = (r->coordinator & ~(15ul << 4 * i)) | (unsigned long) (m - ELECTED) << 4 * i;
      r->participant &= ~(1u << i);
      if (m != ELECTED + id) sent = m;
    } else if (m > id) {
      r->participant |= 1u << i;
      sent = m;
    } else if (m == id) {
      r->leader |= 1u << i;
      sent = ELECTED + id;
    } else if (!(r->participant >> i & 1)) {
      r->participant |= 1u << i;
      sent = id;
    }

    if (sent) {
      unsigned end = r->lengths >> 4 * next & 15;
      if (next != 0) end += at + (r->lengths >> 4 * i & 15);
      below = ((Messages) 1 << 8 * end) - 1;
      all = (all & below) | (all & ~below) << 8 | (Messages) sent << 8 * end;
      r->lengths += 1ul << 4 * next;
    }
    r->messages[0] = all;
    r->messages[1] = all >> 64;
  }
}

c_state "Ring ring" "Global" "started()"

#define DELIVER(i) \
  :: d_step { \
       c_expr { now.ring.lengths >> 4 * i & 15 } -> \
       c_code { deliver(&now.ring, i); }; \
       assert(c_expr { (now.ring.leader & (now.ring.leader - 1)) == 0 }) \
     }

active proctype ring() {
end:
  do
  DELIVERIES
  od
}
