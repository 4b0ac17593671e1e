# SPDX-License-Identifier: GPL-2.0-only
"""A script of the first era: a training with mark_step() and hmp, whose options are a command
line's, for one card or several."""

import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.fc1 = nn.Linear(144, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=1)


def picture_set(count, seed):
    torch.manual_seed(seed)
    labels = torch.randint(0, 4, (count,))
    pictures = torch.rand(count, 1, 10, 10) * 0.3
    for picture, label in zip(pictures, labels):
        row, column = int(label) // 2 * 5, int(label) % 2 * 5
        picture[0, row:row + 5, column:column + 5] += 1
    return TensorDataset(pictures, labels)


def train(args, model, device, loader, optimizer, clip, epoch):
    from habana_frameworks.torch.hpex import hmp
    import habana_frameworks.torch.core as htcore
    model.train()
    for index, (data, target) in enumerate(loader):
        data = data.to(device, non_blocking=True)
        target = target.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        loss = F.nll_loss(model(data), target)
        loss.backward()
        if args.use_lazy_mode:
            htcore.mark_step()
        clip.clip_norm(model.parameters())
        if args.hmp:
            with hmp.disable_casts():
                optimizer.step()
        else:
            optimizer.step()
        if args.use_lazy_mode:
            htcore.mark_step()
        if index % args.log_interval == 0:
            print(f'Train Epoch: {epoch} [{index * len(data)}] Loss: {loss.item():.6f}')


def test(model, device, loader):
    model.eval()
    loss, correct = 0, 0
    with torch.no_grad():
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            output = model(data)
            loss += F.nll_loss(output, target, reduction='sum').item()
            pred = output.argmax(dim=1, keepdim=True)
            correct += pred.eq(target.view_as(pred)).sum().item()
    print(f'Test set: Average loss: {loss / len(loader.dataset):.4f}, '
          f'Accuracy: {correct}/{len(loader.dataset)}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batch-size', type=int, default=32)
    parser.add_argument('--epochs', type=int, default=2)
    parser.add_argument('--log-interval', type=int, default=4)
    parser.add_argument('--hmp', action='store_true')
    parser.add_argument('--hmp-opt-level', default='O1')
    parser.add_argument('--hmp-verbose', action='store_true')
    parser.add_argument('--use_lazy_mode', action='store_true')
    parser.add_argument('--save-model', default='')
    args = parser.parse_args()

    if args.use_lazy_mode:
        os.environ['PT_HPU_LAZY_MODE'] = '1'
    from habana_frameworks.torch.utils.library_loader import load_habana_module
    load_habana_module()
    from habana_frameworks.torch.hpex.normalization import FusedClipNorm
    from habana_frameworks.torch.hpex.optimizers import FusedAdamW
    if args.hmp:
        from habana_frameworks.torch.hpex import hmp
        hmp.convert(opt_level=args.hmp_opt_level, bf16_file_path='', fp32_file_path='',
                    isVerbose=args.hmp_verbose)
    import habana_frameworks.torch.distributed.hccl as hccl
    world_size, rank, _ = hccl.initialize_distributed_hpu()
    if world_size > 1:
        torch.distributed.init_process_group('hccl', rank=rank, world_size=world_size)
    device = torch.device('hpu')

    train_set = picture_set(256, 1)
    sampler = DistributedSampler(train_set) if world_size > 1 else None
    loader = DataLoader(train_set, batch_size=args.batch_size, sampler=sampler,
                        shuffle=sampler is None, drop_last=True, num_workers=1,
                        pin_memory=True, pin_memory_device='hpu')
    model = Net().to(device)
    optimizer = FusedAdamW(model.parameters(), lr=0.01, eps=1e-8, weight_decay=0.01)
    clip = FusedClipNorm(model.parameters(), 1.0)
    if world_size > 1:
        model = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=100,
                                                    broadcast_buffers=False,
                                                    gradient_as_bucket_view=True)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, loader, optimizer, clip, epoch)
        test(model, device, DataLoader(picture_set(64, 2), batch_size=50))
        scheduler.step()
    if args.save_model and rank <= 0:
        torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict(),
                    'epoch': args.epochs}, args.save_model)
        again = torch.load(args.save_model, map_location='cpu')
        print('saved on', {t.device.type for t in again['model'].values()})


if __name__ == '__main__':
    main()
