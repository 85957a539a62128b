import { sharedFields } from "../language/shared-fields.ts";
import type { FieldsV1 } from "./fields-v1.ts";

/**
 * The text of fieldsV1, written piece by piece and never put together where it is known: objects made
 * from one template write the same pieces, so that each leads from place to place, and the last place
 * knows what fields the whole text is.
 *
 *     begin()                         the first place
 *     add("{"), add('"f:data":')      on to the place that is known to follow, or a new one
 *     end()                           the fields there; parsed when somebody comes there first
 */
export interface FieldsTrail {
  begin(): void;
  add(piece: string): void;
  /** Where the trail is, to go back to. */
  place(): Place;
  backTo(place: Place): void;
  end(): FieldsV1;
}

export interface Place {
  readonly piece: string;
  readonly before: Place | undefined;
  /** Where the trail went on last, and where before that: most places have one way on. */
  next: Place | undefined;
  others: Map<string, Place> | undefined;
  fields: FieldsV1 | undefined;
}

/** Places are forgotten, all at once, when they or the fields that they know are so many. */
const mostPlaces = 20_000;
const mostFields = 512;

/** A map or list that is owned, and all of it that is; one that holds nothing is a leaf. */
export const open = '{".":{}';
export const close = "}";
export const leaf = "{}";

export function fieldsTrail(): FieldsTrail {
  let first = placeAfter(undefined, "");
  let at = first;
  let places = 0;
  let ends = 0;

  function follow(piece: string): Place {
    let next = at.others?.get(piece);
    if (!next) {
      next = placeAfter(at, piece);
      places++;
    }
    if (at.next) {
      at.others ??= new Map();
      at.others.set(at.next.piece, at.next);
    }
    at.next = next;
    return next;
  }

  return {
    begin() {
      if (places > mostPlaces || ends > mostFields) {
        first = placeAfter(undefined, "");
        places = 0;
        ends = 0;
      }
      at = first;
    },
    add(piece) {
      const { next } = at;
      at = next !== undefined && next.piece === piece ? next : follow(piece);
    },
    place: () => at,
    backTo(place) {
      at = place;
    },
    end() {
      if (!at.fields) {
        at.fields = sharedFields(textTo(at)) as FieldsV1;
        ends++;
      }
      return at.fields;
    },
  };
}

const placeAfter = (before: Place | undefined, piece: string): Place => ({
  piece,
  before,
  next: undefined,
  others: undefined,
  fields: undefined,
});

function textTo(place: Place): string {
  const pieces: string[] = [];
  for (let at: Place | undefined = place; at; at = at.before) pieces.push(at.piece);
  // No text within the JSON can look like this: its quotes would be escaped.
  return pieces
    .reverse()
    .join("")
    .replaceAll(open + close, leaf);
}
