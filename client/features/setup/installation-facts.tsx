import { createSignal, onMount, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Facts } from '#client/ui/console/facts.tsx'
import type { Page } from '#shared/console/model'
import type { EnvironmentRow } from '#shared/console/settings'
import { t } from './messages.ts'

/** The variable of the public address. */
const variable = 'PARLEY_PUBLIC_URL'

/** Facts of this installation: address, currency and registration, with how to change them. */
export function InstallationFacts() {
  const [address, setAddress] = createSignal<EnvironmentRow>()
  onMount(async () => {
    const found = await callApi<Page<EnvironmentRow>>('GET', '/api/environment?limit=200').catch(() => undefined)
    setAddress(found?.data.find(({ name }) => name === variable))
  })
  return (
    <div class="grid max-w-[560px] gap-3">
      <Facts
        long
        facts={[
          [t('factAddress'), address() && <AddressFact row={address() as EnvironmentRow} />],
          [t('factCurrency'), t('factCurrencyWhy')],
          [t('factRegistration'), t('factRegistrationWhy')],
        ]}
      />
      <Show when={address()}>{(row) => <AddressWarning value={row().value} />}</Show>
    </div>
  )
}

function AddressFact(props: { row: EnvironmentRow }) {
  return (
    <>
      <span class="mono wrap-anywhere text-[12px]">{props.row.value ?? location.origin}</span>{' '}
      <span class="text-ink-3">{t(props.row.set ? 'factAddressSet' : 'factAddressUnset', { variable })}</span>
    </>
  )
}

/** A hint if this page was opened at another address than the public one, or over the network while none is set. */
function AddressWarning(props: { value: string | null }) {
  const isLocal = () => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname)
  const wrong = () => (props.value === null ? !isLocal() : props.value !== location.origin)
  return (
    <Show when={wrong()}>
      <p class="notice warn">{t('addressDiffers', { variable, here: location.origin })}</p>
    </Show>
  )
}
