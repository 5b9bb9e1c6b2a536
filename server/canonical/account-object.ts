/**
 * Objects that a caller makes in the account of one upstream and names by their ids afterwards, and the doors by which they are made,
 * listed, changed and read. The doors themselves are a table of the protocols (`#protocols/object-doors`).
 */
import type { StateRef } from './codec.ts'

/** Protocols whose clients have such objects, by the words that they use. */
export type ObjectApi = 'openai' | 'messages' | 'gemini'

/** Kinds of objects. */
export type ObjectKind = Extract<
  StateRef['kind'],
  | ('vector-store' | 'container' | 'voice' | 'voice-consent' | 'skill' | 'cached-content' | 'file-search-store')
  | ('memory-store' | 'agent' | 'environment' | 'vault')
>

/** One address with one method. */
export interface ObjectDoor {
  api: ObjectApi
  kind: ObjectKind
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As a route: `:id` names the object, `:part` something in it. */
  path: string
  /** `inside`: about something that belongs to the object. */
  does: 'create' | 'list' | 'read' | 'change' | 'delete' | 'inside'
  /** What the body is; absent: there is none. `either`: JSON or a form. */
  takes?: 'json' | 'form' | 'either'
  /** What follows the id in the same segment of the address, for Google's actions: `:importFile`. */
  action?: string
}
