/**
 * How far a rotation has come. `trusted`: what is new is trusted beside the old, and not used yet; `issuing`: a change
 * to it was begun; `issued`: it is used, and the old is still trusted.
 */
export type RotationStage = "none" | "trusted" | "issuing" | "issued";
