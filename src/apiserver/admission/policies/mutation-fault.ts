/** Why a policy cannot change an object: its `failurePolicy` applies. */
export class MutationFault extends Error {
  override readonly name = "MutationFault";
}
