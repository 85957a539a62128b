/** Requests of so many seats are started in a turn of the event loop. */
const seatsPerTurn = 4;

/**
 * Starts few requests in each turn of the event loop, one of each flow after the other. Seats alone do not make
 * requests fair that are served without waiting for anything: all that a client sends at once would be served before
 * the server looks at what others have sent.
 */
export class FairTurns {
  readonly #afterEvents: (run: () => void) => void;
  /** The flows that wait, in the order of their turns, with the requests of each. */
  readonly #flows = new Map<string, Waiting[]>();
  #spent = 0;
  #isTurnEnding = false;

  /** `afterEvents` runs a function once what has arrived meanwhile was received. */
  constructor(afterEvents: (run: () => void) => void) {
    this.#afterEvents = afterEvents;
  }

  /** Undefined if a request can start now; else a promise of its turn. */
  take(flow: string, seats: number): Promise<void> | undefined {
    if (this.#flows.size === 0 && this.#spent < seatsPerTurn) {
      this.#spend(seats);
      return undefined;
    }
    return new Promise((start) => {
      const requests = this.#flows.get(flow);
      if (requests) requests.push({ seats, start });
      else this.#flows.set(flow, [{ seats, start }]);
    });
  }

  #spend(seats: number): void {
    this.#spent += seats;
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    this.#afterEvents(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isTurnEnding = false;
    this.#spent = 0;
    while (this.#spent < seatsPerTurn) {
      const [next] = this.#flows;
      if (!next) return;
      const [flow, requests] = next;
      const request = requests.shift() as Waiting;
      // The flow waits behind all others for the turn of its next request.
      this.#flows.delete(flow);
      if (requests.length > 0) this.#flows.set(flow, requests);
      this.#spend(request.seats);
      request.start();
    }
  }
}

interface Waiting {
  readonly seats: number;
  readonly start: () => void;
}
