/** What is known of a fixture from the day it was made. `make.ts` writes it, and `survival.test.ts` checks every later build against it. */

/** One request and its charge. */
export interface ExpectedRequest {
  id: string
  status: number
  end: string
  /** Nano-dollars as decimal text. */
  charged: string
  /** The state of the request when the program was killed. */
  killed: 'done' | 'settled' | 'interrupted'
}

/** Everything known of a fixture. */
export interface Expected {
  engine: 'embedded' | 'postgres'
  made: string
  commit: string
  masterKey: string
  /** The user who made these requests. */
  user: { id: string; name: string; password: string; cookie: string; key: string }
  /** A user of parley.yaml and the hash of its password, which must not be computed again. */
  declared: { name: string; password: string; key: string; hash: string }
  /** By channel name. */
  channels: Record<string, { id: string; key: string }>
  /** In the database, or in the client's hands. */
  response: string
  /** The texts in the conversation of `response`. */
  saidInResponse: string
  call: string
  boundState: string
  boundTo: string
  envelope: string
  compaction: string
  requests: ExpectedRequest[]
  /** Requests without output: they are not charged and have no row. */
  opened: string[]
  /** The free nano-dollars of every account after the journal has been replayed. */
  free: Record<string, string>
  /** Number of rows by table. */
  rows: Record<string, number>
  columns: string[]
}
