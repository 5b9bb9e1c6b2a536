/** GET /api/search: things with this id, name or end of a key, as far as the caller may see them. */

/** What is found, in the order in which it is shown. */
export const foundKinds = ['request', 'key', 'user', 'model', 'channel', 'group', 'page'] as const
export type FoundKind = (typeof foundKinds)[number]

/** Something that was found; at most four of a kind, the best match first. */
export interface Found {
  kind: FoundKind
  /** Of a request, key, user or channel its id; of the rest the name; of a page its address. */
  id: string
  name: string
  /** The second line: an owner, a status, a hint of a key. */
  note: string | null
  /** Its page in the console. */
  path: string
}
