/** What answers after setup: a tested channel, or the demo. */
export interface Answering {
  /** The model to begin with. */
  model: string
  models: number
  /** Milliseconds that the test took; undefined for the demo. */
  ms?: number
}

/** The built-in demo. */
export const demo: Answering = { model: 'parley-demo', models: 1 }
