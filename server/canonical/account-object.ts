/**
 * Objects that a caller creates in the account of one upstream and refers to by id, and the endpoints that create, list, change
 * and read them. The table of endpoints is in `#protocols/object-endpoints`.
 */
import type { StateRef } from './codec.ts'

/** Protocols with such objects, by their wire format. */
export type ObjectApi = 'openai' | 'messages' | 'gemini'

/** Kinds of objects. */
export type ObjectKind = Extract<
  StateRef['kind'],
  | ('vector-store' | 'container' | 'voice' | 'voice-consent' | 'skill' | 'cached-content' | 'file-search-store')
  | ('memory-store' | 'agent' | 'environment' | 'vault')
>

/** One path with one method. */
export interface ObjectEndpoint {
  api: ObjectApi
  kind: ObjectKind
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As a route: `:id` is the object, `:part` something inside it. */
  path: string
  /** `inside`: about a part of the object. */
  does: 'create' | 'list' | 'read' | 'change' | 'delete' | 'inside'
  /** The type of the body; absent: there is none. `either`: JSON or a form. */
  takes?: 'json' | 'form' | 'either'
  /** A suffix of the id in the same path segment, for Google's actions: `:importFile`. */
  action?: string
}
