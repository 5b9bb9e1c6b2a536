/** The newest secret, until the user has copied it. In memory only: reloading the page loses it. */
import { createSignal } from 'solid-js'

/** A secret that is shown once. */
export interface FreshSecret {
  id: string
  name: string
  secret: string
  /** Until when the previous secret is valid. */
  previousUntil: string | null
}

const [freshSecret, setFreshSecret] = createSignal<FreshSecret | null>(null)

export { freshSecret, setFreshSecret }
