/** How many channels rest, as the console has last seen it; the playground asks for nothing. */
import { createSignal } from 'solid-js'

export const [resting, setResting] = createSignal(0)
