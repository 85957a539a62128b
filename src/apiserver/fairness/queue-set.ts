import { type Link, LinkedList } from "../../base/linked-list.ts";
import { finalWork, seatsOf, type WorkEstimate } from "./work-estimate.ts";

/** How the requests of a priority level wait. */
export type Queuing =
  /** They never wait: the level is exempt. */
  | { readonly type: "Exempt" }
  /** They are rejected when no seats are free. */
  | { readonly type: "Reject" }
  | {
      readonly type: "Queue";
      readonly queues: number;
      /** The most requests that wait in one queue. */
      readonly lengthLimit: number;
    };

/** Told of what happens to the requests of a set, by their flow schema. */
export interface QueueSetObserver {
  /** Requests (1 or -1) that wait, and their seats. */
  waiting(schema: string, requests: 1 | -1, seats: number): void;
  /** Requests (1, 0 or -1) that are executed; seats can be held longer than that. */
  executing(schema: string, requests: 1 | 0 | -1, seats: number): void;
  rejected(schema: string, reason: RejectionReason): void;
  queueLength(schema: string, length: number): void;
  /** A request was next, but needs more seats than are free. */
  notAccommodated(schema: string): void;
  dispatched(progress: DispatchProgress): void;
  /** All seats that are held or waited for. */
  demand(seats: number): void;
}

export type RejectionReason = "concurrency-limit" | "queue-full" | "time-out";

/** Virtual times of a dispatch: the server's, the request's, and the bounds of those of all waiting requests. */
export interface DispatchProgress {
  readonly current: number;
  readonly start: number;
  readonly bounds: readonly [least: number, most: number];
  /** The same without the work of requests that are executed. */
  readonly discounted: readonly [least: number, most: number];
}

/** Where a request comes from, and what it takes. */
export interface FlowRequest {
  readonly schema: string;
  readonly distinguisher: string;
  readonly work: WorkEstimate;
  /** The queues that the flow may use; empty unless requests of the level wait in queues. */
  readonly hand: readonly number[];
  /** Computed for dumps only. */
  readonly details: () => RequestDetails;
}

export interface RequestDetails {
  readonly user: string;
  readonly verb: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
}

/** A request that waits for seats or holds some. */
export interface SeatedRequest extends FlowRequest {
  readonly arrived: number;
  /** When it was dispatched; undefined while it waits. */
  readonly started: number | undefined;
}

interface Request extends SeatedRequest {
  work: WorkEstimate;
  started: number | undefined;
  readonly arrivedVirtually: number;
  readonly queue: Queue | undefined;
  /** Its place among those that wait in its queue, then among those that are executed. */
  link: Link<Request> | undefined;
  isWaiting: boolean;
  /** Called when a waiting request is dispatched. */
  dispatch: () => void;
}

/** Requests of flows that share a queue are dispatched in the order of their arrival. */
interface Queue {
  /** Its place in the set. */
  index: number;
  /** Its place among the queues in which requests wait; -1 if none waits in this one. */
  place: number;
  readonly waiting: LinkedList<Request>;
  readonly executing: LinkedList<Request>;
  length: number;
  /** Seat-seconds of all that waits. */
  work: number;
  seatsWaiting: number;
  seatsInUse: number;
  /** The virtual time at which its next request starts. */
  nextStart: number;
}

/** How long a request is assumed to take, in seconds, until it has ended. */
const assumedSeconds = 0.003;

const totalWork = (work: WorkEstimate): number =>
  work.initialSeats * assumedSeconds + finalWork(work);

/**
 * The requests of one priority level: they share its seats, and where it has queues, flows share them fairly.
 *
 * Fair queuing in virtual time: `#virtualNow` is the work, in seat-seconds, that each queue with requests would have
 * been given if all were served at once in equal parts. A queue's next request starts, virtually, when the one before
 * it has ended; the request that would end first is dispatched first. The real duration is known only at the end:
 * the queue's virtual time is then corrected.
 */
export class QueueSet {
  readonly #now: () => number;
  readonly #observer: QueueSetObserver;
  #queuing: Queuing = { type: "Reject" };
  #limit = 0;
  #queues: Queue[] = [];
  /** The queues in which requests wait, in no order. */
  readonly #filled: Queue[] = [];
  /** How many queues have requests that wait or are executed. */
  #active = 0;
  readonly #withoutQueue = new LinkedList<Request>();
  #virtualNow = 0;
  #lastNow: number;
  /** The queue that was served last: ties are broken in turn. */
  #turn = 0;
  #enqueued = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  #executing = 0;
  #seatsInUse = 0;
  readonly #totals = { dispatched: 0, rejected: 0, cancelled: 0 };

  /** `now` is a monotonic clock in seconds. */
  constructor(now: () => number, observer: QueueSetObserver) {
    this.#now = now;
    this.#observer = observer;
    this.#lastNow = now();
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }
  get virtualNow(): number {
    return this.#virtualNow;
  }
  /** How many queues there are for new requests. */
  get size(): number {
    return this.#queuing.type === "Queue" ? this.#queuing.queues : 0;
  }
  /** How many requests wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Changes the queues and the limit of seats; requests that wait stay in their queues. */
  configure(queuing: Queuing, limit: number): void {
    this.#advance();
    this.#queuing = queuing;
    this.#limit = limit;
    while (this.#queues.length < this.size) this.#queues.push(emptyQueue(this.#queues.length));
    this.#removeEmptyQueues();
    this.#dispatch();
  }

  /**
   * Takes in a request. Undefined if it is rejected. `dispatch` is called when it may be executed, perhaps before this
   * returns; then `finish` must be called. Until then `cancel` takes it back.
   */
  start(request: FlowRequest, dispatch: () => void): SeatedRequest | undefined {
    this.#advance();
    if (this.#queuing.type !== "Queue") return this.#startAtOnce(request, dispatch);
    const queue = this.#shortest(request.hand);
    if (this.#seatsInUse >= this.#limit && queue.length >= this.#queuing.lengthLimit)
      return this.#reject(request.schema, "queue-full");
    const waiting = this.#enqueue(request, queue, dispatch);
    this.#dispatch();
    return waiting;
  }

  /** Ends a request that was dispatched, at the end of its response. Undefined, or the seconds until `release`. */
  finish(seated: SeatedRequest): number | undefined {
    const request = seated as Request;
    const { schema, queue, work, started } = request;
    this.#advance();
    this.#executing--;
    this.#observer.executing(schema, -1, 0);
    if (queue) {
      if (request.link) queue.executing.remove(request.link);
      if (isIdle(queue)) this.#active--;
      const took = this.#lastNow - (started ?? this.#lastNow);
      queue.nextStart -= work.initialSeats * (assumedSeconds - took);
      this.#keepUp(queue);
    } else if (request.link) this.#withoutQueue.remove(request.link);
    if (work.finalSeconds > 0 && work.finalSeats > 0) return work.finalSeconds;
    this.release(request);
    return undefined;
  }

  /** Frees the seats of a request that was finished. */
  release(seated: SeatedRequest): void {
    const { schema, queue, work } = seated as Request;
    const seats = seatsOf(work);
    this.#advance();
    this.#seatsInUse -= seats;
    this.#observer.executing(schema, 0, -seats);
    if (queue) queue.seatsInUse -= seats;
    this.#observeDemand();
    this.#removeEmptyQueues();
    this.#dispatch();
  }

  /** Takes back a request that still waits, because it has waited too long or its client is gone. */
  cancel(seated: SeatedRequest): void {
    const request = seated as Request;
    if (!request.isWaiting || !request.queue) return;
    this.#advance();
    this.#leaveQueue(request, request.queue);
    if (isIdle(request.queue)) this.#active--;
    this.#totals.cancelled++;
    this.#reject(request.schema, "time-out");
    this.#keepUp(request.queue);
    this.#observeDemand();
  }

  /** What is there now. */
  dump(): QueueSetDump {
    return {
      queues: this.#queues.map((queue) => ({
        waiting: queue.waiting.values(),
        executing: queue.executing.values(),
        seatsInUse: queue.seatsInUse,
        nextStart: queue.nextStart,
        seatsWaiting: queue.seatsWaiting,
        initialSeatsWaiting: queue.waiting
          .values()
          .reduce((sum, { work }) => sum + work.initialSeats, 0),
        work: queue.work,
      })),
      withoutQueue: this.#withoutQueue.values(),
      waiting: this.#waiting,
      executing: this.#executing,
      ...this.#totals,
    };
  }

  #startAtOnce(request: FlowRequest, dispatch: () => void): SeatedRequest | undefined {
    if (!this.#hasRoomFor(seatsOf(request.work)))
      return this.#reject(request.schema, "concurrency-limit");
    const seated = this.#arrived(request, undefined, dispatch);
    seated.link = this.#withoutQueue.add(seated);
    this.#execute(seated);
    return seated;
  }

  #reject(schema: string, reason: RejectionReason): undefined {
    this.#totals.rejected++;
    this.#observer.rejected(schema, reason);
    return undefined;
  }

  #arrived(request: FlowRequest, queue: Queue | undefined, dispatch: () => void): Request {
    const [arrived, arrivedVirtually] = [this.#lastNow, this.#virtualNow];
    const { schema, distinguisher, work, hand, details } = request;
    return {
      ...{ schema, distinguisher, work, hand, details, arrived, arrivedVirtually, queue, dispatch },
      ...{ started: undefined, link: undefined, isWaiting: queue !== undefined },
    };
  }

  /** Moves the virtual time on. */
  #advance(): void {
    const now = this.#now();
    const passed = now - this.#lastNow;
    this.#lastNow = now;
    if (passed <= 0) return;
    if (this.#active === 0) return;
    const wanted = this.#seatsInUse + this.#seatsWaiting;
    this.#virtualNow += (Math.min(wanted, this.#limit) / this.#active) * passed;
  }

  /** The queue of a hand in which the least work waits. */
  #shortest(hand: readonly number[]): Queue {
    const offset = this.#enqueued++ % hand.length;
    let best: Queue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queues[hand[(offset + i) % hand.length] as number] as Queue;
      if (!best || queue.work < best.work) best = queue;
    }
    return best as Queue;
  }

  #enqueue(request: FlowRequest, queue: Queue, dispatch: () => void): Request {
    // An idle queue has saved up nothing: it starts now.
    if (isIdle(queue)) {
      queue.nextStart = this.#virtualNow;
      this.#active++;
    }
    const waiting = this.#arrived(request, queue, dispatch);
    const seats = seatsOf(request.work);
    waiting.link = queue.waiting.add(waiting);
    if (queue.length === 0) queue.place = this.#filled.push(queue) - 1;
    queue.length++;
    queue.work += totalWork(request.work);
    queue.seatsWaiting += seats;
    this.#waiting++;
    this.#seatsWaiting += seats;
    this.#observer.waiting(request.schema, 1, seats);
    this.#observer.queueLength(request.schema, queue.length);
    this.#observeDemand();
    this.#keepUp(queue);
    return waiting;
  }

  #leaveQueue(request: Request, queue: Queue): void {
    const seats = seatsOf(request.work);
    if (request.link) queue.waiting.remove(request.link);
    request.link = undefined;
    request.isWaiting = false;
    queue.length--;
    if (queue.length === 0) this.#removeFilled(queue);
    queue.seatsWaiting -= seats;
    // Sums of fractions drift; an empty queue starts anew.
    queue.work = queue.length === 0 ? 0 : queue.work - totalWork(request.work);
    this.#waiting--;
    this.#seatsWaiting -= seats;
    this.#observer.waiting(request.schema, -1, -seats);
  }

  #removeFilled(queue: Queue): void {
    const last = this.#filled.pop() as Queue;
    if (last !== queue) {
      this.#filled[queue.place] = last;
      last.place = queue.place;
    }
    queue.place = -1;
  }

  #dispatch(): void {
    while (this.#waiting > 0 && this.#seatsInUse < this.#limit) {
      const next = this.#next();
      if (!next) return;
      const [request, queue] = next;
      this.#leaveQueue(request, queue);
      request.work = this.#narrowed(request.work);
      request.link = queue.executing.add(request);
      queue.seatsInUse += seatsOf(request.work);
      queue.nextStart += totalWork(request.work);
      this.#keepUp(queue);
      this.#execute(request);
    }
  }

  #execute(request: Request): void {
    const seats = seatsOf(request.work);
    request.started = this.#lastNow;
    this.#executing++;
    this.#seatsInUse += seats;
    this.#totals.dispatched++;
    this.#observer.executing(request.schema, 1, seats);
    this.#observeDemand();
    request.dispatch();
  }

  /** Of the oldest requests of all queues, the one that would end first; undefined if it has to wait for seats. */
  #next(): readonly [Request, Queue] | undefined {
    let best: Queue | undefined;
    let bestEnd = Number.POSITIVE_INFINITY;
    const bounds: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const discounted: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const queue of this.#filled) {
      const oldest = queue.waiting.first?.value as Request;
      widen(bounds, queue.nextStart);
      widen(discounted, queue.nextStart - queue.seatsInUse * assumedSeconds);
      const end = queue.nextStart + totalWork(oldest.work);
      if (end > bestEnd || (best && end === bestEnd && this.#isSooner(best, queue))) continue;
      best = queue;
      bestEnd = end;
    }
    if (!best) return undefined;
    const request = best.waiting.first?.value as Request;
    if (!this.#hasRoomFor(seatsOf(request.work))) {
      this.#observer.notAccommodated(request.schema);
      return undefined;
    }
    this.#turn = best.index;
    const { nextStart: start } = best;
    this.#observer.dispatched({ current: this.#virtualNow, start, bounds, discounted });
    return [request, best];
  }

  /** Whether it is the turn of the first queue before that of the second. */
  #isSooner(first: Queue, second: Queue): boolean {
    const size = this.#queues.length;
    const distance = ({ index }: Queue) => (index - this.#turn - 1 + size) % size;
    return distance(first) < distance(second);
  }

  /** A request that wants more seats than there are is executed alone. */
  #hasRoomFor(seats: number): boolean {
    if (this.#queuing.type === "Exempt") return true;
    if (seats > this.#limit) return this.#executing === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  /** The same work with no more final seats than there are. */
  #narrowed(work: WorkEstimate): WorkEstimate {
    if (work.finalSeats <= this.#limit) return work;
    const finalSeats = this.#limit;
    return { ...work, finalSeats, finalSeconds: finalWork(work) / finalSeats };
  }

  /** A queue does not save up time in which nothing waited in it. */
  #keepUp(queue: Queue): void {
    const oldest = queue.waiting.first?.value;
    if (oldest && queue.nextStart < oldest.arrivedVirtually)
      queue.nextStart = oldest.arrivedVirtually;
  }

  /** Queues beyond the wanted number go when they are empty. */
  #removeEmptyQueues(): void {
    const wanted = this.size;
    if (this.#queues.length <= wanted) return;
    const isBusy = ({ length, seatsInUse }: Queue) => length > 0 || seatsInUse > 0;
    this.#queues = this.#queues.filter((queue, i) => i < wanted || isBusy(queue));
    for (const [i, queue] of this.#queues.entries()) queue.index = i;
    if (this.#turn >= this.#queues.length) this.#turn = 0;
  }

  #observeDemand(): void {
    this.#observer.demand(this.#seatsInUse + this.#seatsWaiting);
  }
}

export interface QueueSetDump {
  readonly queues: readonly QueueDump[];
  /** Requests that are executed and have not waited in a queue. */
  readonly withoutQueue: readonly SeatedRequest[];
  readonly waiting: number;
  readonly executing: number;
  readonly dispatched: number;
  readonly rejected: number;
  readonly cancelled: number;
}

export interface QueueDump {
  readonly waiting: readonly SeatedRequest[];
  readonly executing: readonly SeatedRequest[];
  readonly seatsInUse: number;
  readonly nextStart: number;
  readonly initialSeatsWaiting: number;
  readonly seatsWaiting: number;
  readonly work: number;
}

const emptyQueue = (index: number): Queue => ({
  ...{ index, place: -1, waiting: new LinkedList(), executing: new LinkedList() },
  ...{ length: 0, work: 0, seatsWaiting: 0, seatsInUse: 0, nextStart: 0 },
});

const isIdle = ({ length, executing }: Queue): boolean => length === 0 && !executing.first;

function widen(bounds: [number, number], value: number): void {
  if (value < bounds[0]) bounds[0] = value;
  if (value > bounds[1]) bounds[1] = value;
}
