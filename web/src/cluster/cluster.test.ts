// What follows from two looks, and what does not; recordings; the order of locks; one look after the other.

import { describe, expect, test } from "vitest";
import type { Engine } from "../engine";
import { concernsAll, differences, remember, type KnownLock } from "./differences";
import { find } from "./find";
import { KEPT, look, NOTHING, type Look, type Seen } from "./log";
import { latest, place, sentence, SIZE } from "./ring";
import { fileName, open, play, RECORDING, recording } from "./recording";
import { cluster, EPOCH, fence, lock, server, silent } from "./sample";
import { fenceParts, proposer, readStatus, type ClusterStatus } from "./status";
import { EVERY_MS, SELDOM_MS, Watch, type Told } from "./watch";
import { certificate, clock, count, span, trip } from "./words";

const at = (status: ClusterStatus): Look => ({ at_ms: status.at_ms, status, error: null });
/** After these looks. */
const after = (...looks: (ClusterStatus | string)[]): Seen =>
  looks.reduce<Seen>((seen, one, index) => look(seen, typeof one === "string" ? { at_ms: index * 1000, status: null, error: one } : at(one)), NOTHING);
/** What the last of two looks has added, in short. */
const news = (...looks: (ClusterStatus | string)[]): string[] => after(...looks).news.map(({ kind, text }) => `${kind}: ${text}`);

describe("the way of a token", () => {
  const moved = (changes = {}) => lock("x", { owner_server: "b", holder: "host-2", fence: fence(2), ...changes });

  test("each server at which it was seen, once in a row", () => {
    const seen = after(cluster(0, [lock("x"), lock("y")]), cluster(1000, [moved(), lock("y")]), cluster(2000, [moved(), lock("y")]), cluster(3000, [moved({ owner_server: "a" }), lock("y")]));
    const [x, y] = seen.locks;
    expect(x?.way).toEqual([{ server: "a", at_ms: 0 }, { server: "b", at_ms: 1000 }, { server: "a", at_ms: 3000 }]);
    expect(y?.way).toEqual([{ server: "a", at_ms: 0 }]);
    expect(latest(seen.locks)?.name).toBe("x");
    expect(sentence(x!)).toBe("The token of x is at a, where host-2 holds it. It was at a, then b before.");
    expect(sentence(y!)).toBe("The token of y is at a, where host-1 holds it. It was seen at no other server.");
  });

  test("a server that does not answer keeps what was seen", () => {
    const seen = after(cluster(0, [lock("x")]), cluster(1000, [], [silent("a"), server("b"), server("c")]));
    expect(sentence(seen.locks[0]!)).toBe("The token of x was last seen at a, which does not answer. It was seen at no other server.");
  });

  test("a long way keeps its end", () => {
    const looks = Array.from({ length: 20 }, (_, index) => cluster(index * 1000, [moved({ owner_server: index % 2 === 0 ? "a" : "b" })]));
    expect(after(...looks).locks[0]?.way.map(({ at_ms }) => at_ms)).toEqual([14, 15, 16, 17, 18, 19].map((second) => second * 1000));
  });

  test("a lone server stands in the middle, others on the ring", () => {
    expect(place(0, 1)).toEqual({ x: SIZE / 2, y: SIZE / 2 });
    expect(place(0, 3).y).toBeLessThan(place(1, 3).y);
  });
});

describe("what happened between two looks", () => {
  test("granted, given back, handed on", () => {
    expect(news(cluster(0), cluster(1000, [lock("x")]))).toEqual(["granted: x is held by host-1"]);
    expect(news(cluster(0, [lock("x")]), cluster(1000, [lock("x", { state: "free", holder: "" })]))).toEqual(["released: host-1 gave back x"]);
    expect(news(cluster(0, [lock("x")]), cluster(1000))).toEqual(["released: host-1 gave back x"]);
    const next = lock("x", { fence: fence(2), holder: "host-2", owner_server: "b" });
    const handed = after(cluster(0, [lock("x")]), cluster(1000, [next])).news;
    expect(handed.map(({ kind, fence, server }) => [kind, fence, server])).toEqual([["released", fence(1), "a"], ["granted", fence(2), "b"]]);
    expect(news(cluster(0, [lock("x")]), cluster(1000, [lock("x", { waiters: 7, remaining_ms: 100 })]))).toEqual([]);
  });

  test("who keeps a lock through a change of the view has not lost it", () => {
    expect(news(cluster(0, [lock("x")]), cluster(1000, [lock("x", { fence: null })]))).toEqual([]);
    expect(news(cluster(0, [lock("x", { fence: null })]), cluster(1000, [lock("x", { holder: "host-2" })]))).toHaveLength(2);
  });

  test("the first look is no news", () => {
    expect(news(cluster(0, [lock("x")]))).toEqual([]);
  });

  test("a session that may have ended in between: both are told", () => {
    const short = lock("x", { remaining_ms: 400, class: "fast", lease_ms: 800 });
    expect(news(cluster(0, [short]), cluster(1000))).toEqual(["ended: host-1 no longer holds x: given back, or its session ended"]);
  });

  test("elections have their own words", () => {
    const leads = lock("primary", { kind: "election", value: "10.0.0.7", holder: "db-1" });
    expect(news(cluster(0), cluster(1000, [leads]))).toEqual(["granted: db-1 leads primary"]);
    expect(news(cluster(0, [leads]), cluster(1000))).toEqual(["released: db-1 resigned from primary"]);
  });

  test("a server goes, comes back, joins, leaves", () => {
    const three = (c: ReturnType<typeof server>) => [server("a"), server("b"), c];
    expect(news(cluster(0), cluster(1000, [], three(silent("c"))))).toEqual(["gone: c does not answer: connection refused"]);
    const back = three(server("c", { joined: false }));
    expect(news(cluster(0, [], three(silent("c"))), cluster(1000, [], back))).toEqual(["back: c answers again"]);
    expect(news(cluster(0, [], back), cluster(1000))).toEqual([`joined: c is a member now, in epoch ${EPOCH}`]);
    expect(news(cluster(0), cluster(1000, [], back))).toEqual(["left: c is no member any more"]);
    expect(news(cluster(0), cluster(1000, [], three(server("c", { draining: true }))))[0]).toMatch(/^draining: c is about to leave/);
  });

  test("the epoch of those who answer, and who proposes", () => {
    const next = [server("a", { proposes: false }), server("b", { epoch: EPOCH + 1, proposes: true }), server("c")];
    expect(news(cluster(0), cluster(1000, [], next))).toEqual([
      `epoch: The view changed from epoch ${EPOCH} to ${EPOCH + 1}`,
      "proposes: b proposes changes of the view now; before, a did",
    ]);
    expect(news(cluster(0, [], next), cluster(1000))[0]).toMatch(/^epoch: .*it went back/);
    // Nobody answers: no epoch is known, so none has changed.
    expect(news(cluster(0), cluster(1000, [], [silent("a"), silent("b"), silent("c")])).filter((one) => one.startsWith("epoch"))).toEqual([]);
    const two = cluster(0, [], [server("a"), server("b", { epoch: EPOCH + 1, proposes: true })]);
    expect(proposer(two)?.name).toBe("b");
  });

  test("the locks of a server that does not answer are as they were, until somebody knows better", () => {
    const gone = [silent("a"), server("b", { proposes: true }), server("c")];
    const seen = after(cluster(0, [lock("x"), lock("y", { owner_server: "b" })]), cluster(1000, [lock("y", { owner_server: "b" })], gone));
    expect(seen.news.map(({ kind }) => kind)).toEqual(["gone", "proposes"]);
    expect(seen.locks.map(({ name, unseen }) => [name, unseen])).toEqual([["y", false], ["x", true]]);
    // The others have waited, and somebody else has it now.
    const taken = lock("x", { fence: fence(1, EPOCH + 1), holder: "host-2", owner_server: "b" });
    const later = look(seen, at(cluster(9000, [taken, lock("y", { owner_server: "b" })], gone)));
    expect(later.news.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(["lost: host-1 lost x: a went away", "granted: x is held by host-2"]);
    expect(later.locks.every(({ unseen }) => !unseen)).toBe(true);
    // It comes back with the same holder and fence: nothing happened.
    const same = look(seen, at(cluster(2000, [lock("x"), lock("y", { owner_server: "b" })])));
    expect(same.news.map(({ kind }) => kind)).toEqual(["back", "proposes"]);
  });

  test("what a server has that was silent from the beginning is not news of now", () => {
    const gone = [silent("a"), server("b"), server("c")];
    expect(news(cluster(0, [], gone), cluster(1000, [lock("x")])).filter((one) => one.startsWith("granted"))).toEqual([]);
  });

  test("a list that was cut says nothing about who is missing", () => {
    const cut = { ...cluster(1000, [lock("a")]), locks_total: 5000 };
    expect(differences(cluster(0), remember([], cluster(0, [lock("a"), lock("x")])), cut)).toEqual([]);
  });

  test("only what concerns everybody is said aloud", () => {
    const all = after(cluster(0), cluster(1000, [lock("x")], [server("a"), server("b"), silent("c")])).news;
    expect(all.filter(concernsAll).map(({ kind }) => kind)).toEqual(["gone"]);
  });
});

describe("one look after the other", () => {
  test("what a server tells is taken once, and before what is guessed", () => {
    const told = { at_ms: 900, server: "a", event: "lost", name: "x", fence: fence(1), text: "x: the session of host-1 ended" };
    const seen = after(cluster(0, [lock("x")]), cluster(1000, [], undefined, [told]));
    expect(seen.news.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(["lost: x: the session of host-1 ended"]);
    expect(look(seen, at(cluster(2000, [], undefined, [told]))).news).toEqual([]);
  });

  test("a failed look keeps what was known, and says since when it is old", () => {
    const seen = after(cluster(0, [lock("x")]), "gone", "still gone");
    expect(seen.stale).toEqual({ why: "still gone", since_ms: 1000 });
    expect(seen.status?.at_ms).toBe(0);
    expect(seen.log.map(({ kind }) => kind)).toEqual(["unseen"]);
    const again = look(seen, at(cluster(5000, [lock("x")])));
    expect(again.stale).toBeNull();
    expect(again.news).toEqual([]);
  });

  test("the log is bounded, the newest first", () => {
    let seen = NOTHING;
    for (let time = 0; time < 2 * KEPT; time += 1) {
      seen = look(seen, at(cluster(time * 1000, time % 2 === 0 ? [] : [lock("x", { fence: fence(time) })])));
    }
    expect(seen.log.length).toBe(KEPT);
    expect(seen.log[0]?.at_ms).toBe((2 * KEPT - 1) * 1000);
  });
});

describe("locks", () => {
  const known = (name: string, changes = {}): KnownLock => ({ ...lock(name, changes), unseen: false, way: [] });
  test("held first, then those that others wait for, then by name; words of any field", () => {
    const locks = [known("z"), known("b", { state: "free" }), known("m", { waiters: 3 }), known("a", { holder: "worker-9" })];
    expect(find(locks, "").rows.map(({ name }) => name)).toEqual(["m", "a", "z", "b"]);
    expect(find(locks, "HELD worker").rows.map(({ name }) => name)).toEqual(["a"]);
    expect(find(locks, "free").rows.map(({ name }) => name)).toEqual(["b"]);
    expect(find(locks, "nothing such")).toEqual({ rows: [], matching: 0 });
  });
  test("of a hundred thousand some are drawn and all are counted", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => known(`job/${index}`));
    expect(find(many, "job")).toMatchObject({ matching: 100_000, rows: { length: 200 } });
  });
});

describe("a recording", () => {
  const looks = [at(cluster(0)), at(cluster(1000, [lock("x")])), { at_ms: 2000, status: null, error: "gone" }, at(cluster(4000))];
  test("what is opened is what was saved, and plays as it was seen", () => {
    const made = recording(looks);
    expect(made).toMatchObject({ schema: RECORDING, cluster: "demo", from_ms: 0, to_ms: 4000 });
    const opened = open("a.json", JSON.stringify(made));
    expect(opened).toEqual(made);
    const frames = play(opened.looks);
    expect(frames.map(({ log, stale }) => [log.length, stale !== null])).toEqual([[0, false], [1, false], [2, true], [3, false]]);
    expect(made.events.map(({ kind }) => kind)).toEqual(["granted", "unseen", "ended"]);
    expect(fileName(made)).toMatch(/^demo-\d{4}-\d\d-\d\d-\d{6}\.cluster\.json$/);
  });
  test.each([
    ["hello", "it is no JSON"],
    ["null", "it does not say what it is"],
    [`{"schema":"ringleader.run/1"}`, "its schema is ringleader.run/1"],
    [`{"schema":"${RECORDING}"}`, "recording.looks: a list is needed"],
    [`{"schema":"${RECORDING}","looks":[]}`, "there is no look"],
    [`{"schema":"${RECORDING}","looks":[7]}`, "recording.looks[0] is no object"],
    [`{"schema":"${RECORDING}","looks":[{"at_ms":1}]}`, "neither a status nor an error"],
    [
      JSON.stringify(recording([at({ ...cluster(0), servers: [{ ...server("a"), epoch: "new" as unknown as number }] })])),
      `recording.looks[0].status.servers[0].epoch: a number from 0 on is needed, not "new"`,
    ],
  ])("what is wrong with a file is said: %s", (text, sentence) => {
    expect(() => open("bad.json", text)).toThrow(sentence);
    expect(() => open("bad.json", text)).toThrow("“bad.json” is no recording of a cluster");
  });
});

describe("looking", () => {
  /** An engine that gives these answers, then the last of them for ever. */
  function engine(answers: (ClusterStatus | Error)[]): Engine {
    let turn = 0;
    return {
      call: async () => {
        const answer = answers[Math.min(turn++, answers.length - 1)];
        if (answer instanceof Error) throw answer;
        return answer as never;
      },
    };
  }
  async function told(answers: (ClusterStatus | Error)[], many: number): Promise<{ told: Told[]; waits: number[] }> {
    const heard: Told[] = [];
    const waits: number[] = [];
    const watch = new Watch(
      engine(answers),
      (one) => heard.push(one),
      async (milliseconds) => {
        waits.push(milliseconds);
        if (heard.length >= many) watch.stop();
      },
      () => 77,
    );
    await watch.start();
    return { told: heard, waits };
  }
  test("each second; a failure is a look too; nonsense is a failure", async () => {
    const nonsense = { schema: "something" } as unknown as ClusterStatus;
    const { told: heard, waits } = await told([cluster(5), new Error("gone"), nonsense, cluster(6)], 4);
    expect(heard.map((one) => (one.kind === "look" ? (one.look.error ?? one.look.at_ms) : one.kind))).toEqual([
      5, "gone", `the answer.schema: ringleader.cluster-status/1 is needed, not "something"`, 6,
    ]);
    expect(waits).toEqual([EVERY_MS, EVERY_MS, EVERY_MS, EVERY_MS]);
  });
  test("without a cluster it asks seldom, until there is one", async () => {
    const without = Object.assign(new Error("no"), { code: "ringleader::no_cluster" });
    const { told: heard, waits } = await told([without, cluster(9)], 2);
    expect(heard.map(({ kind }) => kind)).toEqual(["without", "look"]);
    expect(waits).toEqual([SELDOM_MS, EVERY_MS]);
  });
});

test("words", () => {
  expect([span(740), span(2990), span(14_900), span(0)]).toEqual(["740 ms", "2.9 s", "14 s", "0 ms"]);
  expect([trip(240), trip(1340), trip(52_000)]).toEqual(["240 µs", "1.3 ms", "52 ms"]);
  expect([count(1, "lock"), count(12_000, "lock"), certificate(-2), certificate(0.4), certificate(1.9)]).toEqual([
    "1 lock", "12,000 locks", "expired", "expires today", "expires in 1 day",
  ]);
  expect(clock(new Date(2026, 10, 16, 3, 4, 5).getTime())).toBe("03:04:05");
  expect(fenceParts(fence(7))).toEqual({ epoch: String(EPOCH), counter: "7" });
  expect(fenceParts("seven")).toBeNull();
});

test("a name that comes twice is taken once; a lock and an election are two", () => {
  const locks = readStatus(cluster(0, [lock("x"), lock("x"), lock("x", { kind: "election" })])).locks;
  expect(locks.map(({ kind }) => kind)).toEqual(["lock", "election"]);
  const seen = after(cluster(0, [lock("x")]), cluster(1000, [lock("x"), lock("x", { kind: "election" })]));
  expect(seen.news.map(({ text }) => text)).toEqual(["host-1 leads x"]);
});
