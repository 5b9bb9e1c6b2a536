/** What administrators tell everybody: a line of plain text above every page, until it is closed or says something else. */
import { createSignal, Show } from 'solid-js'
import { banner } from '#client/api/account.ts'
import { IconButton } from '#client/ui/button.tsx'
import { t } from './messages.ts'

const place = 'parley.banner-closed'

/** The line; nothing where there is none, or where this tab has closed it. */
export function HouseBanner() {
  const [closed, setClosed] = createSignal(lastClosed())
  const close = () => {
    setClosed(banner())
    try {
      sessionStorage.setItem(place, banner())
    } catch {
      // Storage is off: it stays closed as long as the page.
    }
  }
  return (
    <Show when={banner() !== '' && banner() !== closed()}>
      <section class="house-banner" aria-label={t('banner')}>
        <p>{banner()}</p>
        <IconButton name="x" label={t('closeBanner')} onClick={close} />
      </section>
    </Show>
  )
}

function lastClosed(): string | null {
  try {
    return sessionStorage.getItem(place)
  } catch {
    return null
  }
}
