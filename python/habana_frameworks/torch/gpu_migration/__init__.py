# SPDX-License-Identifier: MIT
raise ImportError('habana_frameworks.torch.gpu_migration: calls of torch.cuda are not mapped to the '
                  'card; write "hpu" where the script says "cuda"')
