import { For } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { formatCompact } from '#client/ui/format.ts'
import type { ModelRow, Page } from '#shared/console/model'
import { t } from './messages.ts'

/** At most so many models are shown here; the models page lists all. */
const shown = 100

/** The models that the signed-in user can use now. */
export function LiveModels() {
  const models = createLoad(
    () => `/api/models?limit=${shown}`,
    (path, signal) => callApi<Page<ModelRow>>('GET', path, undefined, signal),
  )
  return (
    <>
      <h3 id="models-now">{t('modelsNow')}</h3>
      <WhenLoaded of={models} lines={6}>
        {(page) => (
          <>
            {/* biome-ignore lint/a11y/useSemanticElements: a named group that scrolls, reachable by keyboard */}
            <div class="wide docs-models" role="group" aria-label={t('modelsNow')} tabindex="0">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t('model')}</th>
                    <th scope="col">{t('operations')}</th>
                    <th scope="col">{t('context')}</th>
                  </tr>
                </thead>
                <tbody>
                  <For each={page().data} fallback={<NoModels />}>
                    {(row) => (
                      <tr>
                        <th scope="row">
                          <code>{row.id}</code>
                        </th>
                        <td>{row.operations.join(', ')}</td>
                        <td>{row.contextTokens === null ? '–' : formatCompact(row.contextTokens)}</td>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </div>
            <p>
              <a href="/models">{t('allModels')}</a>
            </p>
          </>
        )}
      </WhenLoaded>
    </>
  )
}

const NoModels = () => (
  <tr>
    <td colspan="3">{t('noModels')}</td>
  </tr>
)
