/** GET /docs.json: the reference as pages, from which the console's docs page is made. */

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
  /** Codes of errors that it may answer. */
  errors: string[]
  samples: DocSample[]
  /** What can be sent from the page: an address with its parameters filled in, and a body. */
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
  /** What the contents show below the page while it is read. */
  parts?: DocPart[]
  /** In the list of pages its text is missing: `GET /docs/ID.json` has it. */
  later?: true
}

/** The reference. */
export interface Docs {
  version: string
  /** The address at which clients reach Parley, as it stands in the texts. */
  origin: string
  pages: DocPage[]
}
