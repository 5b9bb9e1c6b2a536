/** The canonical form of reranking. */

/** A document to rank. */
export interface RerankDocument {
  /** The text that is compared with the query. */
  text: string
  /** As sent by the client, and returned when it requests documents. */
  sent: string | Record<string, unknown>
}

/** A request for reranking. */
export interface RerankQuestion {
  /** The client's name of the model. */
  model: string
  query: string
  documents: readonly RerankDocument[]
  /** Maximum number of results. */
  topN?: number
  /** Whether results contain documents; absent = not specified. */
  returnDocuments?: boolean
  /** Every other field, by wire name: each style picks those it supports. */
  settings: Readonly<Record<string, unknown>>
}

/** The answer to a request. */
export interface RerankAnswer {
  /** Best first, at most as many as requested. `index` is the position in the question's documents. */
  results: readonly { index: number; score: number }[]
  /** Input tokens, reported or estimated. */
  tokens: number
}
