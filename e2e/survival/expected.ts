/** What is known of a fixture from the day on which it was made. `make.ts` writes it, `survival.test.ts` holds every later build to it. */

export interface ExpectedRequest {
  id: string
  status: number
  end: string
  /** Nano-dollars, as decimal text. */
  charged: string
  /** What the program was killed in the middle of. */
  killed: 'done' | 'settled' | 'interrupted'
}

export interface Expected {
  engine: 'embedded' | 'postgres'
  made: string
  commit: string
  masterKey: string
  /** The user whose requests these are. */
  user: { id: string; name: string; password: string; cookie: string; key: string }
  /** A user of parley.yaml and the hash of its password, which must not be made anew. */
  declared: { name: string; password: string; key: string; hash: string }
  /** By channel name. */
  channels: Record<string, { id: string; key: string }>
  /** In the database, or in the client's hands. */
  response: string
  /** What was said in that conversation. */
  saidInResponse: string
  call: string
  boundState: string
  boundTo: string
  envelope: string
  compaction: string
  requests: ExpectedRequest[]
  /** Requests that had no output: they are charged nothing and have no row. */
  opened: string[]
  /** Nano-dollars that are free of every account when the journal is home. */
  free: Record<string, string>
  /** How many rows a table has. */
  rows: Record<string, number>
  columns: string[]
}
