import { mapOf, string, strings } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { stringType, wrappedListType } from "../../../schema/language/type.ts";

/** The values under one key of what else is known of a user. */
const extraValueType = wrappedListType(stringType, "v1.ExtraValue");

export const UserInfo = struct("io.k8s.api.authentication.v1.UserInfo", {
  username: string(1).doc("The name of the user, unique among those that are active."),
  uid: string(2).doc("Tells the user from others who had the name before."),
  groups: strings(3).atomic().doc("The groups that the user is in."),
  extra: mapOf(4, extraValueType).doc("What else the authenticator knows, by key."),
}).doc("Who a user is.");
export interface UserInfo extends Infer<typeof UserInfo> {}
