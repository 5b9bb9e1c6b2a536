/** Reranking in the one form that its styles are read into and written from. */

export interface RerankDocument {
  /** What is compared with the query. */
  text: string
  /** As the client sent it: what it gets back when it asks for documents. */
  sent: string | Record<string, unknown>
}

export interface RerankQuestion {
  /** The client's name of the model. */
  model: string
  query: string
  documents: readonly RerankDocument[]
  /** Results wanted at most. */
  topN?: number
  /** Documents in the results; absent = the client did not say. */
  returnDocuments?: boolean
  /** Every other field, by its name on the wire: which of them a style has is the style's to say. */
  settings: Readonly<Record<string, unknown>>
}

export interface RerankAnswer {
  /** Best first, no more than were wanted. `index` is the place in the question's documents. */
  results: readonly { index: number; score: number }[]
  /** Input tokens, told or estimated. */
  tokens: number
}
