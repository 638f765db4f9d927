// States of the Inside panel that are reached by doing something.

/** Opens, does, checks, draws. */
export async function insideActs({ open, go, settle, measure, contrast, names, keyboard, shoot, fail, layouts, themes }) {
  for (const theme of themes) {
    for (const layout of layouts) {
      const act = async (scenario, name, does, check = true) => {
        const { page, where, close } = await open(scenario, layout, theme);
        await go(page, 'inside');
        await does(page);
        await page.waitForTimeout(30);
        await settle(page);
        await shoot(page, `act-inside-${name}-${layout.name}-${theme}`);
        if (check) {
          await measure(page, `${where} ${name}`);
          await contrast(page, `${where} ${name}`);
          await names(page, `${where} ${name}`);
          if (theme === 'light') await keyboard(page, `${where} ${name}`);
        }
        await close();
      };
      const box = (page, at) => page.locator('[role="row"] [role="gridcell"] input').nth(at);
      const choose = async (page) => {
        for (const at of [0, 2, 3]) await box(page, at).click();
      };
      const rescue = async (page, ends) => {
        await page.evaluate(async (ends) => {
          const disk = Object.values(window.backend.insides)[0];
          disk.rescue = window.rescues[ends];
        }, ends);
        await choose(page);
        await page.getByRole('button', { name: /^Rescue 3 sessions/ }).click();
      };

      await act('low', 'chosen', choose);
      await act('low', 'copying', (page) => rescue(page, 'copying'));
      await act('low', 'folder', async (page) => {
        await page.locator('[role="row"] .open').first().click();
        await settle(page);
      });
      await act('low', 'search', async (page) => {
        await page.getByRole('searchbox').fill('curie');
        await page.getByRole('searchbox').scrollIntoViewIfNeeded();
      });
      if (layout !== layouts[0]) continue;
      for (const ends of ['rescued', 'rescuedPartly', 'rescueStopped', 'refusedForRoom', 'refusedForName', 'refusedForFiles', 'failed']) {
        await act('low', `end-${ends}`, async (page) => {
          await rescue(page, ends);
          await page.locator('h2[tabindex="-1"]').waitFor();
          await page.evaluate(() => document.querySelectorAll('details').forEach((box) => (box.open = true)));
        });
      }
      await act('low', 'deep', async (page) => {
        await page.locator('[role="row"] .open').first().click();
        await page.getByRole('button', { name: 'Open outputs' }).click();
      });
      await act('low', 'system', (page) => page.getByText('System disk', { exact: true }).first().click());
      await act('low', 'nothing-found', (page) => page.getByRole('searchbox').fill('no such session'));
      await act('low', 'only-grown', (page) => page.getByRole('button', { name: /in the table$/ }).click());
      await act('low', 'gone', async (page) => {
        await page.locator('[role="row"] .open').nth(1).click();
        await page.getByRole('alert').waitFor();
      });
      await act('first', 'stopped', (page) => page.getByRole('button', { name: 'Stop reading' }).click());
      await act('bundles', 'other', (page) => page.getByText('Claude-3p', { exact: true }).click());
      // Far down, with the head above and a choice below; and by the keyboard.
      await act(
        'many',
        'scrolled',
        async (page) => {
          await page.locator('[role="row"][tabindex="0"]').focus();
          await page.keyboard.press('End');
          await page.keyboard.press('ArrowUp');
          await page.keyboard.press(' ');
          const seen = await page.evaluate(() => {
            const box = document.activeElement.getBoundingClientRect();
            return { row: document.activeElement.getAttribute('aria-rowindex'), in: box.top >= 0 && box.bottom <= innerHeight, rows: document.querySelectorAll('[role="row"]').length };
          });
          if (seen.row !== '20000' || !seen.in) fail('many scrolled', `the keyboard leads to ${JSON.stringify(seen)}`);
          if (seen.rows > 80) fail('many scrolled', `${seen.rows} rows are in the page`);
        },
        false,
      );
    }
  }
}
