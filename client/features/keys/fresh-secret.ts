/** The secret that was made last, until somebody has taken it. In memory only: reloading the page forgets it. */
import { createSignal } from 'solid-js'

/** A secret that can be read only now. */
export interface FreshSecret {
  id: string
  name: string
  secret: string
  /** Until when the secret from before is good. */
  previousUntil: string | null
}

const [freshSecret, setFreshSecret] = createSignal<FreshSecret | null>(null)

export { freshSecret, setFreshSecret }
