/** The re-authentication dialog for calls that require a fresh confirmation: `setProver` of `client/api/http.ts`. */
import { createSignal, onCleanup, onMount, Show, Suspense } from 'solid-js'
import { setProver } from '#client/api/http.ts'
import { later } from '#client/ui/later.ts'

const ProofForm = later(async () => (await import('./proof-form.tsx')).ProofForm)

/** Renders nothing until a call needs a confirmation. */
export function ProofDialog() {
  const [asking, setAsking] = createSignal<(proved: boolean) => void>()
  const end = (proved: boolean) => {
    asking()?.(proved)
    setAsking(undefined)
  }
  onMount(() => setProver(() => new Promise<boolean>((resolve) => setAsking(() => resolve))))
  onCleanup(() => {
    setProver(undefined)
    end(false)
  })
  return (
    <Suspense>
      <Show when={asking()}>
        <ProofForm onEnd={end} />
      </Show>
    </Suspense>
  )
}
