/** The number of resting channels, as last loaded by the console; the playground does not load it. */
import { createSignal } from 'solid-js'

export const [resting, setResting] = createSignal(0)
