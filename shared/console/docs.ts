/** GET /docs.json: the reference as pages; the console's docs page is built from it. */

/** A sample of an endpoint in one language. */
export interface DocSample {
  language: 'curl' | 'Python' | 'TypeScript'
  text: string
  note?: string
}

/** A field of a body, by its path: `messages[].role`. */
export interface DocField {
  path: string
  type: string
  required: boolean
  means: string
}

/** An endpoint. */
export interface DocEndpoint {
  /** Its anchor. */
  id: string
  method: string
  path: string
  summary: string
  /** Description, parameters and who may call it, as HTML. */
  html: string
  takes: DocField[]
  gives: DocField[]
  /** Error codes that it may return. */
  errors: string[]
  samples: DocSample[]
  /** A request that can be sent from the page: an address with its parameters filled in, and a body. */
  tryIt?: { path: string; body: string }
}

/** A heading inside a page. */
export interface DocPart {
  /** Its anchor. */
  id: string
  title: string
}

/** A page. */
export interface DocPage {
  id: string
  group: string
  title: string
  html: string
  endpoints: DocEndpoint[]
  /** Entries shown below the page in the table of contents while it is open. */
  parts?: DocPart[]
  /** The list of pages omits its text: `GET /docs/ID.json` has it. */
  later?: true
}

/** The reference. */
export interface Docs {
  version: string
  /** The address at which clients reach Parley, as used in the texts. */
  origin: string
  pages: DocPage[]
}
